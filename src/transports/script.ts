import type { SecretText } from '../model/secret.ts'

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
}
