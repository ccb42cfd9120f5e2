import prettyMs from 'pretty-ms'
import { ConvergeError, InternalError } from '../errors/converge-error.ts'
import { defined } from '../lib/defined.ts'
import { type Attempt, type HostLock, type LockRequest, tryLock } from './lock.ts'
import { poll } from './poll.ts'

export interface LockWait {
  /** Milliseconds; 0: try once. */
  readonly timeoutMs: number
  /** Called when the wait begins, and when the holder of the lock changes. */
  readonly note: (text: string) => void
}

/**
 * Takes the lock of a host as soon as its holder releases it or is dead.
 *
 * @throws as `takeLock`; `APPLY.LOCKED` on timeout
 */
export async function waitForLock(request: LockRequest, { timeoutMs, note }: LockWait): Promise<HostLock> {
  let held: Extract<Attempt, { readonly kind: 'held' }> | undefined
  const attempt = async (leftMs: number): Promise<HostLock | undefined> => {
    const last = held
    const now = await tryLock(request)
    if (now.kind === 'taken') return now.lock
    held = now
    if (leftMs > 0 && now.holder !== last?.holder) note(waitingWords(now.holder, leftMs))
    return undefined
  }
  const { clock, signal } = request
  const often = { firstDelayMs: 1000, maxDelayMs: 5000, ...defined({ signal }) }
  const polled = await poll(attempt, { timeoutMs, clock, ...often })
  if (polled.ended === 'answered') return polled.value
  if (polled.ended === 'interrupted') signal?.throwIfAborted()
  if (held === undefined) throw new InternalError('a free lock was not acquired')
  throw timeoutMs === 0 ? held.error : waitedInVain(held.error, timeoutMs)
}

function waitingWords(holder: string, leftMs: number): string {
  return `waiting for its lock, held by ${holder}; ${prettyMs(Math.ceil(leftMs / 1000) * 1000)} at most`
}

function waitedInVain(error: ConvergeError, timeoutMs: number): ConvergeError {
  return new ConvergeError(error.code, { ...error.toProblem(), why: `${error.why} converge waited ${prettyMs(timeoutMs)}.` })
}
