import type { Action } from '../model/action.ts'
import type { Emit } from '../model/event.ts'
import type { ApprovalUsed } from '../model/journal.ts'
import type { Clock } from '../time/clock.ts'
import type { Transport } from '../transports/transport.ts'
import type { Journal } from './journal.ts'
import type { PreparedAction } from './prepared-action.ts'
import type { VerifiableHost } from './proofs.ts'
import type { GuardedHost } from './settle-timers.ts'

/** One host's share of an approved plan, with the functions to plan it again and to prove it. */
export interface HostTask extends VerifiableHost, GuardedHost {
  readonly transport: Transport
  /** Converge's folder on the host, absolute. */
  readonly root: string
  /** Approved, in the order of the plan, without `noop`. */
  readonly actions: readonly Action[]
  /** A run did not finish on the host: what it may have left unproved is proved. Or it is still at work, and this run waits for it. */
  readonly unfinished?: Unfinished
  /** The approvals of the host's plan; absent: none. */
  readonly approvals?: readonly ApprovalUsed[]
  /** Id of the saved plan, which a host applies once. */
  readonly savedPlan?: string
  /**
   * Gathers facts and plans again: for each of these actions its steps, or why it is no longer valid. Called with the
   * lock held, and again after a failure, because what was safe may not be safe now. Throws `ConvergeError`.
   */
  prepare(remaining: readonly Action[]): Promise<readonly PreparedAction[]>
}

export interface Unfinished {
  /** Services that should run. */
  readonly prove: readonly string[]
  /** Services whose state is unknown according to the log on the host; some of them are also in `prove`. */
  readonly left: readonly string[]
}

/** The run that all hosts share. */
export interface RunContext {
  readonly runId: string
  /** The version of converge. */
  readonly version: string
  /** The user who runs converge, and the machine. */
  readonly owner: string
  readonly controller: string
  readonly pid: number
  /** For the log on the host: `3/8`, or `3/8 of nightly`; absent: the run is no shard. */
  readonly shard?: string
  readonly clock: Clock
  readonly emit: Emit
  readonly journal: Journal
  /** Unguessable letters and digits, new at every call. */
  readonly nonce: () => string
  /** Aborted by the first interrupt: nothing new starts. */
  readonly signal: AbortSignal
  /** Aborted by the second interrupt: running commands are killed, and nothing is rolled back. */
  readonly force: AbortSignal
  /** Whether the run named in a lock's owner line has provably ended; absent: never provable. */
  readonly isProvedDead?: (owner: string) => Promise<boolean>
  /** How long to wait for the lock of a host; absent: do not wait. */
  readonly lockTimeoutMs?: number
}

export function hasWork({ actions, unfinished }: HostTask): boolean {
  return actions.length > 0 || unfinished !== undefined
}
