import type { SecretText } from '../model/secret.ts'
import type { Watch } from './watch.ts'

export interface Script {
  /** For messages and logs: `gather facts`, `write /etc/…`. */
  readonly label: string
  /** Secrets in it travel on stdin only. */
  readonly text: SecretText
  /** `$1`, `$2`, …; what the script hands them to may show them in the host's process list, so never secret. */
  readonly args: readonly string[]
  /** Run it as the host's become user, when the host is to become one at all. */
  readonly elevate: boolean
  readonly timeoutMs: number
  /**
   * It changes nothing, so the host ends it as soon as nobody is connected any more. Any other script is given `graceS` then, to leave
   * nothing half done.
   */
  readonly readOnly?: true
  readonly watch?: Watch
}

/** Seconds that a script which changes something may go on when its controller or the connection is gone. */
export const graceS = 60
