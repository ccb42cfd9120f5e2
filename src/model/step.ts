import type { RecordStep } from './applied-record.ts'
import type { SecretText } from './secret.ts'

/** Exactly what will be sent to a host. Scripts are POSIX sh; data reaches them as positional arguments, never spliced in. */
export type Step = RunStep | PutStep | DeleteStep | WaitStep

interface StepBase {
  /** For people, present tense: `write /etc/…/compose.yaml`. */
  readonly label: string
  /** Tested in the same remote command that acts; a guard that fails stops the step before it does anything. */
  readonly guards: readonly Check[]
  /** It starts, stops or replaces a server. In a rollback, such steps are done only where one on the way there was sent. */
  readonly server?: true
  /** It writes, or deletes, what is remembered of a service that was applied. */
  readonly record?: RecordStep
}

export interface RunStep extends StepBase {
  readonly do: 'run'
  readonly script: string
  readonly args: readonly string[]
  readonly timeoutMs: number
  /** It keeps what will be replaced beside it; its first argument is the definition. */
  readonly keeps?: true
  /** Nothing of what it does would have to be put back: an image that is there by now. */
  readonly prepares?: true
  /** It only looks, and prints `unknown` where it could not find out: then this is told, and the action goes on. */
  readonly unknown?: string
}

/** Atomic: temporary file in the same folder, mode and owner set, validated, then renamed. */
export interface PutStep extends StepBase {
  readonly do: 'put'
  readonly path: string
  readonly content: SecretText
  readonly mode: number
  /** `user:group`; absent: as the commands run. */
  readonly owner?: string
  /** sh, `$1` is the temporary file: the real parser's word before anything is replaced. */
  readonly validate?: { readonly script: string; readonly args: readonly string[] }
  /** Mode of folders that have to be made. */
  readonly folderMode: number
  /** SHA-256 of the only text that it takes the place of; where anything else lies, or nothing, that is left alone, which is no failure. */
  readonly replaces?: string
  /** Everything but the rename: whether it could be written, and would be taken by its reader. */
  readonly rehearsal?: true
}

export interface DeleteStep extends StepBase {
  readonly do: 'delete'
  readonly path: string
}

export interface WaitStep extends StepBase {
  readonly do: 'wait'
  readonly until: Check
  readonly timeoutMs: number
}

/** A question to the host: exit 0 is yes, anything else no; its stdout explains. */
export interface Check {
  /** The sentence that is false when it fails: `the definition is still the one that was planned on`. */
  readonly label: string
  readonly script: string
  readonly args: readonly string[]
  /** It asks whether the supervisor answers at all; while it does not hold, nothing is concluded from what the supervisor says. */
  readonly answers?: true
}

/** Everything one action sends. */
export interface StepGroup {
  readonly action: string
  readonly service: string
  readonly precheck: readonly Check[]
  readonly steps: readonly Step[]
  readonly postcheck: readonly Check[]
  /** Previous definition and service restored; empty: no rollback, or (Kind B) none that is safe. */
  readonly undo: readonly Step[]
  /** Of a stop for a while: what must hold when the rollback comes later, because other actions ran meanwhile. */
  readonly room?: readonly Check[]
  /** Once it took effect: takes away what only the rollback needed. */
  readonly cleanup?: readonly Step[]
}
