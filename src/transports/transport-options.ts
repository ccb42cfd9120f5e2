import type { SecretReference } from '../model/fleet.ts'
import type { Secret } from '../model/secret.ts'
import type { StartLimiter } from './start-limiter.ts'

/** What a connection needs besides the host. */
export interface TransportOptions {
  /** Ends the attempt to connect; use `close` for an open connection. */
  readonly signal: AbortSignal
  /** For TCP, handshake and login together; a `ConnectTimeout` in the user's ssh config takes precedence. */
  readonly connectTimeoutMs: number
  /** Shared by all connections of a run. */
  readonly startLimiter: StartLimiter
  /** `SSH_AUTH_SOCK`, `HOME`. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Instead of the user's ssh config, as `ssh -F`. */
  readonly sshConfig?: string
  resolveSecret(reference: SecretReference): Promise<Secret>
  /** Shows the user one line that is no error. */
  notice(text: string): void
  /**
   * Rewrites everything that commands print. Not for output that is parsed, such as the probe's: a key that equals a word of the answer would
   * change its meaning. converge itself redacts where it displays texts.
   */
  redact?(text: string): string
}
