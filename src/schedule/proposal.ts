import type { Action } from '../model/action.ts'
import type { Finding } from '../policy/rule.ts'
import { newAction } from '../simulate/new-action.ts'
import type { ServiceCase } from '../simulate/service-case.ts'

/** The actions that bring one service to its desired state. */
export interface Proposal {
  /** In order; each waits for the one before it. A service in its desired state has one `noop`. */
  readonly actions: readonly Action[]
  /**
   * If the server must be stopped temporarily, the actions that replace one action: a temporary stop, then the rest up to the server's start. By
   * the id of the action that replaces the running server, or of the write before it.
   */
  readonly splitInto?: Readonly<Record<string, readonly Action[]>>
  /** What could not be decided or written. */
  readonly findings: readonly Finding[]
}

/** Nothing to do, and why. */
export function noop(subject: ServiceCase, reason: string): Proposal {
  return { actions: [newAction(subject, { kind: 'noop', reason })], findings: [] }
}
