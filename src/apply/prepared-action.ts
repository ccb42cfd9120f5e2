import type { Action } from '../model/action.ts'
import type { AppliedRecord } from '../model/applied-record.ts'
import type { Problem } from '../model/plan.ts'
import type { StepGroup } from '../model/step.ts'
import type { GroupContext } from './execute-group.ts'
import type { HostGuard } from './host-guard.ts'
import type { Replacement } from './replacement.ts'
import type { StepJournal } from './step-journal.ts'
import type { IdleWait } from './wait-idle.ts'

/** An action after its host was planned again under the lock. */
export type PreparedAction = ReadyAction | StaleAction

export interface ReadyAction {
  readonly action: Action
  readonly group: StepGroup
  /**
   * The record to write once the action is done and proved; null: delete the record. Absent: the action concerns no service.
   */
  readonly record?: AppliedRecord | null
  /** How to wait for an idle server; absent: do not wait. */
  readonly idle?: IdleWait
  /** It replaces a running server and can roll back to it. */
  readonly replaces?: true
}

export interface StaleAction {
  readonly action: Action
  readonly problem: Problem
}

export interface HostContext extends GroupContext {
  readonly journal: StepJournal
  /** The proof for an action that replaces a running server; absent: no proof. */
  readonly replacing?: (ready: ReadyAction) => Replacement
  /** The rollback that the host does if converge disappears; undefined: the host cannot roll back alone. */
  readonly guarding?: (ready: ReadyAction) => HostGuard | undefined
  /** Whether an earlier run left a rollback timer of the service: then a start is proved before its cleanup, like a replacement. */
  readonly adopts?: (service: string) => boolean
}
