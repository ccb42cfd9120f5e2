import { once } from 'node:events'
import { ConvergeError } from '../errors/converge-error.ts'
import { defined } from '../lib/defined.ts'
import { sha256 } from '../lib/digest.ts'
import { parseObject } from '../lib/json-object.ts'
import { lastLines } from '../lib/last-lines.ts'
import { stableJson } from '../lib/stable-json.ts'
import { bookkeepingLabels as labels } from '../model/bookkeeping.ts'
import { lockTtlS } from '../model/lock-lease.ts'
import type { Problem } from '../model/plan.ts'
import type { Check } from '../model/step.ts'
import type { Clock } from '../time/clock.ts'
import type { CommandResult, Transport } from '../transports/transport.ts'
import { type Watch, watchedEndS } from '../transports/watch.ts'
import { beatScript, fenceScript, releaseScript, tagPrefix, takeScript, watchScript } from './lock-scripts.ts'
import {
  describeHolder,
  folderOf,
  foreignWords,
  isForeign,
  locked,
  notReleased,
  takenFromDead,
  takenOver,
  unusable,
} from './lock-words.ts'
import { callMain, define } from './remote-script.ts'
import type { ClosingEntries } from './step-journal.ts'

export interface LockRequest {
  readonly transport: Transport
  /** Converge's folder on the host, absolute; created if missing. */
  readonly root: string
  /** The user who runs converge, and the machine. */
  readonly owner: string
  readonly controller: string
  readonly pid: number
  readonly runId: string
  /** Unguessable and new for every lock; letters, digits and dashes. */
  readonly token: string
  readonly clock: Clock
  /** Ends the attempt and releases whatever part of the lock exists. */
  readonly signal?: AbortSignal
  /** Once aborted, the release takes a few seconds at most. */
  readonly force?: AbortSignal
  /** Whether the run of an owner line has provably ended. Its lock is then taken over at once; absent: never provable. */
  readonly isProvedDead?: (owner: string) => Promise<boolean>
  /** Seconds of silence after which a lock is dead; absent: `lockTtlS`. */
  readonly ttlS?: number
  /** Seconds to wait after a takeover; absent: until no command of the previous holder can still run. */
  readonly settleS?: number
}

export interface HostLock {
  /** Checks that this run still holds the lock: part of every script that changes something. */
  readonly fence: Check
  /** The same check while such a script runs, and that the heartbeat continues. */
  readonly watch: Watch
  /** Present when a dead lock was taken over. */
  readonly note?: string
  /**
   * Ends the heartbeat, writes the last entry of the run on the host, and releases the lock. Returns the problem if that failed; the
   * lock then expires.
   */
  release(last?: ClosingEntries): Promise<Problem | undefined>
}

const scriptTimeoutMs = 30_000

/** Commands under a lock without heartbeat are ended after this share of its time to live. */
const watchedShare = 5 / 6

/** The lock, or who holds it. */
export type Attempt =
  | { readonly kind: 'taken'; readonly lock: HostLock }
  | { readonly kind: 'held'; readonly holder: string; readonly error: ConvergeError }

/**
 * Takes the lock of one host and keeps it alive until `release`. Only runs that change something take it.
 *
 * @throws ConvergeError `APPLY.LOCKED` with the holder and the age of its last heartbeat; `APPLY.LOCK_UNUSABLE`; `CONNECT.*`; the
 *   signal's reason
 */
export async function takeLock(request: LockRequest): Promise<HostLock> {
  const attempt = await tryLock(request)
  if (attempt.kind === 'held') throw attempt.error
  return attempt.lock
}

/** As `takeLock`, but returns when another run holds the lock. */
export async function tryLock(request: LockRequest): Promise<Attempt> {
  const first = await tryOnce(request, '')
  if (first.word !== 'held' || (await request.isProvedDead?.(first.holder)) !== true) return attemptOf(request, first)
  return attemptOf(request, await tryOnce(request, first.holder))
}

interface LockAnswer {
  readonly word: string
  readonly age: string
  /** The owner line of the lock as found. */
  readonly holder: string
}

/** @param dead the owner line of a run that has provably ended; empty: none */
async function tryOnce(request: LockRequest, dead: string): Promise<LockAnswer> {
  const { root, token, ttlS = lockTtlS, settleS = watchedEndS } = request
  const { token: deadToken } = parseObject(dead) ?? {}
  const tag = typeof deadToken === 'string' ? digestIn(deadToken) : ''
  const args = [root, String(ttlS), token, ownerLine(request), String(settleS), dead, tag]
  const result = await take(request, args)
  const tried = splitThree(result.stdout)
  if (result.exitCode !== 0 || !['taken', 'taken-over', 'taken-from-dead', 'held'].includes(tried.word))
    throw unusable(request, result)
  return tried
}

function attemptOf(request: LockRequest, { word, age, holder }: LockAnswer): Attempt {
  const { token, ttlS = lockTtlS } = request
  if (word === 'held') return { kind: 'held', holder: describeHolder(holder), error: locked(request, Number(age), holder) }
  const folder = folderOf(request)
  const stopBeating = keepBeating(request, folder, ttlS)
  const fence = { label: 'this run still holds the lock of the host', script: fenceScript, args: [folder, token] }
  const watch = {
    tag: `${tagPrefix}${digestIn(token)}`,
    script: watchScript,
    args: [folder, token, String(Math.max(1, Math.floor(ttlS * watchedShare)))],
  }
  const release = (last?: ClosingEntries) =>
    inTime(request, async () => {
      await stopBeating()
      return releaseOnHost(request, last === undefined ? [] : [last.log, ...last.lines])
    })
  const note = word === 'taken' ? {} : { note: word === 'taken-over' ? takenOver(age, holder) : takenFromDead(holder) }
  return { kind: 'taken', lock: { fence, watch, release, ...note } }
}

async function take(request: LockRequest, args: readonly string[]): Promise<CommandResult> {
  const { transport, signal } = request
  try {
    return await send(transport, labels.takeLock, takeScript, args, signal)
  } catch (error) {
    if (signal?.aborted === true) await inTime(request, () => releaseOnHost(request, []))
    throw error
  }
}

/** After a second interrupt, wait no longer than this for a host that may not answer. */
const hurryMs = 3000

async function inTime(request: LockRequest, work: () => Promise<Problem | undefined>): Promise<Problem | undefined> {
  const { clock, force } = request
  const over = new AbortController()
  const late = async (): Promise<Problem | undefined> => {
    await aborted(AbortSignal.any([over.signal, ...(force === undefined ? [] : [force])]))
    await clock.sleep(hurryMs, over.signal)
    return notReleased(request, `${request.transport.host} did not answer in time.`)
  }
  try {
    return await Promise.race([work(), late()])
  } finally {
    over.abort()
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

function ownerLine({ owner, controller, pid, runId, token, clock }: LockRequest): string {
  return stableJson({ owner, controller, pid, runId, token, since: new Date(clock.now()).toISOString() })
}

/** Runs in the background. A failed beat is no error, because the fence is checked before each step. */
function keepBeating({ transport, clock, token }: LockRequest, folder: string, ttlS: number): () => Promise<void> {
  const stop = new AbortController()
  const beating = (async () => {
    for (;;) {
      await clock.sleep((ttlS * 1000) / 4, stop.signal)
      if (stop.signal.aborted) return
      try {
        const { exitCode } = await send(transport, labels.keepLock, beatScript, [folder, token], stop.signal)
        if (exitCode === 3) return
      } catch (error) {
        if (stop.signal.aborted) return
        if (!(error instanceof ConvergeError)) throw error
      }
    }
  })()
  // Awaited only at the end; until then a bug in it must not end the process.
  beating.catch(() => undefined)
  return async () => {
    stop.abort()
    await beating
  }
}

async function releaseOnHost(request: LockRequest, last: readonly string[]): Promise<Problem | undefined> {
  const { transport, token } = request
  const folder = folderOf(request)
  try {
    const result = await send(transport, labels.releaseLock, releaseScript, [folder, token, ...last])
    if (result.exitCode === 0) return undefined
    if (isForeign(result))
      return new ConvergeError('APPLY.LOCK_UNUSABLE', foreignWords(transport.host, request.root, result.stderr)).toProblem()
    return notReleased(request, `${folder} could not be removed. ${lastLines(result.stderr)}`)
  } catch (error) {
    if (!(error instanceof ConvergeError)) throw error
    return notReleased(request, error.why)
  }
}

async function send(
  transport: Transport,
  label: string,
  script: string,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<CommandResult> {
  const text = [`LC_ALL=C; export LC_ALL\n${define('main', script)}\n${callMain}`]
  const sent = { label, text, args, elevate: true, timeoutMs: scriptTimeoutMs }
  return transport.exec(sent, defined({ signal }))
}

function splitThree(stdout: string): LockAnswer {
  const [, word = '', age = '', holder = ''] = /^(\S*)(?: (\d+) ?(.*))?/.exec(stdout.trim()) ?? []
  return { word, age, holder }
}

/** Digest of a token, for process arguments, which every user of the host can read. */
function digestIn(token: string): string {
  return sha256(token).slice(0, 16)
}
