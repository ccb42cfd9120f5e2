import type { Action } from '../model/action.ts'
import type { AppliedRecord } from '../model/applied-record.ts'
import type { Problem } from '../model/plan.ts'
import type { StepGroup } from '../model/step.ts'
import type { GroupContext } from './execute-group.ts'
import type { HostGuard } from './host-guard.ts'
import type { Replacement } from './replacement.ts'
import type { StepJournal } from './step-journal.ts'
import type { IdleWait } from './wait-idle.ts'

/** An action after the second look at its host. */
export type PreparedAction = ReadyAction | StaleAction

export interface ReadyAction {
  readonly action: Action
  readonly group: StepGroup
  /**
   * What is to be remembered of the service once it is done and proved; null: nothing is left to be remembered. Absent: it is about
   * no service.
   */
  readonly record?: AppliedRecord | null
  /** How it waits until its server is idle; absent: it does not. */
  readonly idle?: IdleWait
  /** It replaces a running server and has a rollback to it. */
  readonly replaces?: true
}

export interface StaleAction {
  readonly action: Action
  readonly problem: Problem
}

export interface HostContext extends GroupContext {
  readonly journal: StepJournal
  /** For each action that replaces a running server; absent: what is done is not watched over. */
  readonly replacing?: (ready: ReadyAction) => Replacement
  /** The same, for when converge is gone; undefined: there is no rollback that the host can do alone. */
  readonly guarding?: (ready: ReadyAction) => HostGuard | undefined
  /** Whether an earlier run has left a rollback of the service there: then a start is proved like a replacement, before it is tidied up. */
  readonly adopts?: (service: string) => boolean
}
