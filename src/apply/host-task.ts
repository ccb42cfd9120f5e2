import type { Action } from '../model/action.ts'
import type { Emit } from '../model/event.ts'
import type { ApprovalUsed } from '../model/journal.ts'
import type { Clock } from '../time/clock.ts'
import type { Transport } from '../transports/transport.ts'
import type { Journal } from './journal.ts'
import type { PreparedAction } from './prepared-action.ts'
import type { VerifiableHost } from './proofs.ts'
import type { GuardedHost } from './settle-timers.ts'

/** One host's share of an approved plan, and how the stages before and after are reached. */
export interface HostTask extends VerifiableHost, GuardedHost {
  readonly transport: Transport
  /** Converge's folder on the host, absolute. */
  readonly root: string
  /** Approved, in the order of the plan, without `noop`. */
  readonly actions: readonly Action[]
  /** A run did not come to its end on the host: what it may not have proved is proved. Or it is at work and is waited for. */
  readonly unfinished?: Unfinished
  /** Those that the plan of the host was approved with; absent: none. */
  readonly approvals?: readonly ApprovalUsed[]
  /** The saved plan that this is: applied on a host once. */
  readonly savedPlan?: string
  /**
   * Looks at the host again and plans again: for each of these actions its steps, or why it no longer holds. Called with the
   * lock held, and once more after a failure, because what was safe then may not be safe now. Throws `ConvergeError`.
   */
  prepare(remaining: readonly Action[]): Promise<readonly PreparedAction[]>
}

export interface Unfinished {
  /** Services that are wanted running. */
  readonly prove: readonly string[]
  /** Services of which the log on the host tells that nobody knows how they were left; some of them are among those to prove. */
  readonly left: readonly string[]
}

/** The run that all hosts belong to. */
export interface RunContext {
  readonly runId: string
  /** The version of converge. */
  readonly version: string
  /** Who runs converge, and where. */
  readonly owner: string
  readonly controller: string
  readonly pid: number
  readonly clock: Clock
  readonly emit: Emit
  readonly journal: Journal
  /** Unguessable letters and digits, new at every call. */
  readonly nonce: () => string
  /** Aborted by the first interrupt: nothing new is begun. */
  readonly signal: AbortSignal
  /** Aborted by the second: what is in flight on the host is ended, and nothing is put back. */
  readonly force: AbortSignal
  /** Whether the run of a lock's owner line is proved to be over; absent: that is never proved. */
  readonly isProvedDead?: (owner: string) => Promise<boolean>
  /** How long the lock of a host is waited for; absent: not at all. */
  readonly lockTimeoutMs?: number
}

export function hasWork({ actions, unfinished }: HostTask): boolean {
  return actions.length > 0 || unfinished !== undefined
}
