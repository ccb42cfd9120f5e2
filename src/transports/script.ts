import type { SecretText } from '../model/secret.ts'
import type { Watch } from './watch.ts'

export interface Script {
  /** For messages and logs: `gather facts`, `write /etc/…`. */
  readonly label: string
  /** Its secrets are sent on stdin only. */
  readonly text: SecretText
  /** `$1`, `$2`, …; commands may show them in the host's process list, so they must not be secret. */
  readonly args: readonly string[]
  /** Run it as the host's become user, if the host has one. */
  readonly elevate: boolean
  readonly timeoutMs: number
  /** How long its shell may take to start, sudo included. Default: half a minute. */
  readonly startMs?: number
  /**
   * It changes nothing, so the host ends it as soon as the connection is gone. Other scripts get `graceS` to finish.
   */
  readonly readOnly?: true
  readonly watch?: Watch
  /** Another one like it usually follows at once, so a session for that one is opened while this one runs. */
  readonly followed?: true
}

/** Seconds that a script with side effects may continue after its controller or connection is gone. */
export const graceS = 60
