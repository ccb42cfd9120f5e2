import type { LifeSign } from '../model/life-sign.ts'
import type { VerifyLevel } from '../model/playbook.ts'
import type { Secret } from '../model/secret.ts'
import type { Clock } from '../time/clock.ts'
import type { HostView } from '../transports/transport.ts'

/** Dependencies of a smoke test. Every question may throw a `ConvergeError`; the check then fails with its message. */
export interface SmokeDeps {
  readonly transport: HostView
  /** Absent: the service has no key. */
  readonly key?: Secret
  /** Why the service's key is not available on this machine; not the server's fault. */
  readonly keyProblem?: string
  readonly level: Exclude<VerifyLevel, 'none'>
  readonly clock: Clock
  /** Ends the test as soon as possible. */
  readonly signal?: AbortSignal
  /** Progress for people: `loading, 40 s`. */
  note(text: string): void
  /** Whether only this server is starting or running where only one is allowed. */
  coRun(): Promise<Verdict>
  /** Asks the supervisor on the host whether the process lives. */
  alive(): Promise<LifeSign>
  /** The last lines of the server's log. */
  lastLog(): Promise<string>
  /** Whether the port's owner is the managed process or a descendant of it. */
  portOwner(): Promise<Verdict>
  /** How fast its chats were; absent: they are not compared. */
  readonly speed?: SpeedLimit
  /** `fleet.client.reload`: the command that makes the client application reload its model list, on this machine. */
  readonly reload?: readonly string[]
}

/** What the first chat of a started server is compared with. */
export interface SpeedLimit {
  /** Seconds; the first chat of its last tested start. */
  readonly beforeS: number
  /** From the play, `max_slowdown`. */
  readonly maxSlowdown: number
  /** So many more chats are requested of one that seems slow: the fastest counts. */
  readonly again: number
}

export interface Verdict {
  readonly ok: boolean
  readonly detail: string
  /** Why it could not or need not be checked; with `ok`, it does not count as failed. */
  readonly skipped?: string
}
