import type { Check, DeleteStep, PutStep, RunStep, WaitStep } from './step.ts'

/**
 * What one action sends to its host, as `plan --json` prints it. Keys are `***`. A saved plan's digest covers it; under the lock the host is
 * planned again, and steps that are not in here are not sent.
 */
export interface PlannedSteps {
  /** Evaluated in one command before anything else; if one fails, nothing is sent. */
  readonly checks: readonly PlannedCheck[]
  readonly steps: readonly PlannedStep[]
  /** Evaluated in one command after the last step; if one fails, `undo` is sent. */
  readonly proof: readonly PlannedCheck[]
  /** Sent if a step or the proof fails. Empty: there is no rollback, or none that is safe. */
  readonly undo: readonly PlannedStep[]
  /** For a temporary stop: evaluated before a delayed `undo`. */
  readonly room?: readonly PlannedCheck[]
  /** Sent after the action took effect: removes what only `undo` needed. */
  readonly cleanup?: readonly PlannedStep[]
}

/** A question to the host, in POSIX sh: exit 0 is yes. */
export type PlannedCheck = Pick<Check, 'label' | 'script' | 'args'>

export type PlannedStep = PlannedRun | PlannedPut | PlannedDelete | PlannedWait

interface PlannedBase {
  readonly label: string
  /** Evaluated in the same command, right before the step; if one fails, the step does nothing. */
  readonly guards: readonly PlannedCheck[]
}

/** A command, in POSIX sh; `$1` is the first of `args`. */
export interface PlannedRun extends PlannedBase, Pick<RunStep, 'do' | 'script' | 'args'> {
  readonly timeout_s: number
}

/** A file, written to a temporary name and renamed. */
export interface PlannedPut extends PlannedBase, Pick<PutStep, 'do' | 'path' | 'owner' | 'validate' | 'replaces' | 'rehearsal'> {
  /** Four octal digits. */
  readonly mode: string
  /** For new folders. */
  readonly folder_mode: string
  /** Keys are `***`. */
  readonly content: string
}

export interface PlannedDelete extends PlannedBase, Pick<DeleteStep, 'do' | 'path'> {}

export interface PlannedWait extends PlannedBase, Pick<WaitStep, 'do'> {
  readonly until: PlannedCheck
  readonly timeout_s: number
}
