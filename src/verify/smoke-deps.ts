import type { LifeSign } from '../model/life-sign.ts'
import type { VerifyLevel } from '../model/playbook.ts'
import type { Secret } from '../model/secret.ts'
import type { Clock } from '../time/clock.ts'
import type { HostView } from '../transports/transport.ts'

/** What a smoke test needs of the world. Every question may throw a `ConvergeError`; the check then fails with its words. */
export interface SmokeDeps {
  readonly transport: HostView
  /** Absent: the service has no key. */
  readonly key?: Secret
  /** Why the key that the service has could not be had, on this machine; the server is not blamed for it. */
  readonly keyProblem?: string
  readonly level: Exclude<VerifyLevel, 'none'>
  readonly clock: Clock
  /** Ends the test at the next possible moment. */
  readonly signal?: AbortSignal
  /** For people who wait: `loading, 40 s`. */
  note(text: string): void
  /** Whether only this server is starting or running where only one may. */
  coRun(): Promise<Verdict>
  /** Asks the supervisor on the host whether the process lives. */
  alive(): Promise<LifeSign>
  /** The last lines of the server's log. */
  lastLog(): Promise<string>
  /** Whether the port's owner is the managed process or a descendant of it. */
  portOwner(): Promise<Verdict>
  /** `fleet.client.reload`: how the client application is made to reload its model list, on this machine. */
  readonly reload?: readonly string[]
}

export interface Verdict {
  readonly ok: boolean
  readonly detail: string
  /** Why it could not or need not be checked; it then does not count as failed when `ok`. */
  readonly skipped?: string
}
