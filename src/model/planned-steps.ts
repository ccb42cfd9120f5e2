import type { Check, DeleteStep, PutStep, RunStep, WaitStep } from './step.ts'

/**
 * What one action sends to its host, as `plan --json` prints it. Keys are `***`. A saved plan's digest covers it; under the lock the host is
 * planned again, and a step that is not in here is not sent.
 */
export interface PlannedSteps {
  /** Asked in one command before anything else; where one does not hold, nothing is sent. */
  readonly checks: readonly PlannedCheck[]
  readonly steps: readonly PlannedStep[]
  /** Asked in one command after the last step; where one does not hold, `undo` is sent. */
  readonly proof: readonly PlannedCheck[]
  /** Sent where a step or the proof fails. Empty: there is no rollback, or none that is safe. */
  readonly undo: readonly PlannedStep[]
  /** Of a stop for a while: asked before `undo`, where that comes later than at once. */
  readonly room?: readonly PlannedCheck[]
  /** Sent once the action took effect: takes away what only `undo` needed. */
  readonly cleanup?: readonly PlannedStep[]
}

/** A question to the host, in POSIX sh: exit 0 is yes. */
export type PlannedCheck = Pick<Check, 'label' | 'script' | 'args'>

export type PlannedStep = PlannedRun | PlannedPut | PlannedDelete | PlannedWait

interface PlannedBase {
  readonly label: string
  /** Asked in the same command, right before it acts; where one does not hold, the step does nothing. */
  readonly guards: readonly PlannedCheck[]
}

/** A command, in POSIX sh; `$1` is the first of `args`. */
export interface PlannedRun extends PlannedBase, Pick<RunStep, 'do' | 'script' | 'args'> {
  readonly timeout_s: number
}

/** A file, written beside its place and renamed. */
export interface PlannedPut extends PlannedBase, Pick<PutStep, 'do' | 'path' | 'owner' | 'validate' | 'replaces' | 'rehearsal'> {
  /** Four octal digits. */
  readonly mode: string
  /** Of folders that have to be made. */
  readonly folder_mode: string
  /** Keys are `***`. */
  readonly content: string
}

export interface PlannedDelete extends PlannedBase, Pick<DeleteStep, 'do' | 'path'> {}

export interface PlannedWait extends PlannedBase, Pick<WaitStep, 'do'> {
  readonly until: PlannedCheck
  readonly timeout_s: number
}
