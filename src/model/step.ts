import type { RecordStep } from './applied-record.ts'
import type { SecretText } from './secret.ts'

/** Exactly what will be sent to a host. Scripts are POSIX sh; data reaches them as positional arguments, never spliced in. */
export type Step = RunStep | PutStep | DeleteStep | WaitStep

interface StepBase {
  /** For people, present tense: `write /etc/…/compose.yaml`. */
  readonly label: string
  /** Evaluated in the same remote command; if a guard fails, the step does nothing. */
  readonly guards: readonly Check[]
  /** It starts, stops or replaces a server. In a rollback, such steps run only if one of the action was sent. */
  readonly server?: true
  /** It writes or deletes the record of an applied service. */
  readonly record?: RecordStep
}

export interface RunStep extends StepBase {
  readonly do: 'run'
  readonly script: string
  readonly args: readonly string[]
  readonly timeoutMs: number
  /** It backs up what will be replaced; its first argument is the definition. */
  readonly keeps?: true
  /** It leaves nothing to roll back: an image that is now present. */
  readonly prepares?: true
  /** Explanation for a read-only step that prints `unknown`: it is shown, and the action continues. */
  readonly unknown?: string
}

/** Atomic: temporary file in the same folder, mode and owner set, validated, then renamed. */
export interface PutStep extends StepBase {
  readonly do: 'put'
  readonly path: string
  readonly content: SecretText
  readonly mode: number
  /** `user:group`; absent: the account of the commands. */
  readonly owner?: string
  /** sh, `$1` is the temporary file: the real parser checks it before anything is replaced. */
  readonly validate?: { readonly script: string; readonly args: readonly string[] }
  /** Mode of new folders. */
  readonly folderMode: number
  /** SHA-256 of the only content that it replaces; anything else, or a missing file, is left alone without a failure. */
  readonly replaces?: string
  /** Everything except the rename: whether it can be written, and is valid. */
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
  /** The sentence that is false if it fails: `the definition is still the one that was planned on`. */
  readonly label: string
  readonly script: string
  readonly args: readonly string[]
  /** It checks whether the supervisor answers at all; if not, nothing is concluded from its answers. */
  readonly answers?: true
}

/** Everything one action sends. */
export interface StepGroup {
  readonly action: string
  readonly service: string
  readonly precheck: readonly Check[]
  readonly steps: readonly Step[]
  readonly postcheck: readonly Check[]
  /** Restores the previous definition and service; empty: no rollback, or (Kind B) none that is safe. */
  readonly undo: readonly Step[]
  /** For a temporary stop: what must hold for a delayed rollback, because other actions ran meanwhile. */
  readonly room?: readonly Check[]
  /** After it took effect: removes what only the rollback needed. */
  readonly cleanup?: readonly Step[]
}
