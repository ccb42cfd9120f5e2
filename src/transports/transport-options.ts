import type { SecretReference } from '../model/fleet.ts'
import type { Secret } from '../model/secret.ts'
import type { StartLimiter } from './start-limiter.ts'

/** What a connection needs to know beyond the host itself. */
export interface TransportOptions {
  /** Ends the attempt to connect; a connection that stands is ended with `close`. */
  readonly signal: AbortSignal
  /** For TCP, handshake and login together; the `ConnectTimeout` of the user's ssh config wins. */
  readonly connectTimeoutMs: number
  /** One for all connections of a run. */
  readonly startLimiter: StartLimiter
  /** `SSH_AUTH_SOCK`, `HOME`. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Instead of the user's ssh config, as `ssh -F`. */
  readonly sshConfig?: string
  resolveSecret(reference: SecretReference): Promise<Secret>
  /** One line a person should see that is no error. */
  notice(text: string): void
  /**
   * Changes everything that commands print. Not for output that is parsed, the probe's above all: a key that is a word of an
   * answer would change what is read. converge itself redacts where texts are shown.
   */
  redact?(text: string): string
}
