import type { Action } from '../model/action.ts'
import type { Finding } from '../policy/rule.ts'
import { newAction } from '../simulate/new-action.ts'
import type { ServiceCase } from '../simulate/service-case.ts'

/** What would bring one service from what is to what is wanted. */
export interface Proposal {
  /** In order; each waits for the one before it. A service that is as wanted has one `noop`. */
  readonly actions: readonly Action[]
  /**
   * By the id of an action that replaces a running server, or of one that writes what the next one restarts it with: what it can be taken
   * apart into, where the server has to be down for a while. Each ends with the server's start.
   */
  readonly pieces?: Readonly<Record<string, readonly Action[]>>
  /** What could not be decided, or not be written. */
  readonly findings: readonly Finding[]
}

/** Nothing to do, and why. */
export function noop(subject: ServiceCase, reason: string): Proposal {
  return { actions: [newAction(subject, { kind: 'noop', reason })], findings: [] }
}
