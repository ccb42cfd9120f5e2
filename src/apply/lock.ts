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
  notGivenBack,
  takenFromDead,
  takenOver,
  unusable,
} from './lock-words.ts'
import { callMain, define } from './remote-script.ts'
import type { LastWords } from './step-journal.ts'

export interface LockRequest {
  readonly transport: Transport
  /** Converge's folder on the host, absolute; made when it is not there. */
  readonly root: string
  /** Who runs converge, and where. */
  readonly owner: string
  readonly controller: string
  readonly pid: number
  readonly runId: string
  /** Unguessable and new for every lock that is taken; letters, digits and dashes. */
  readonly token: string
  readonly clock: Clock
  /** Ends the attempt; what there is of the lock then is given back. */
  readonly signal?: AbortSignal
  /** Once it is aborted, giving back takes a few seconds at most. */
  readonly force?: AbortSignal
  /** Whether the run of an owner's line is proved to be over. Its lock is then taken over at once; absent: that is never proved. */
  readonly isProvedDead?: (owner: string) => Promise<boolean>
  /** Seconds of silence after which a lock is dead; absent: `lockTtlS`. */
  readonly ttlS?: number
  /** Seconds that are waited after a lock was taken over; absent: until nothing of its holder can be running any more. */
  readonly settleS?: number
}

export interface HostLock {
  /** "The lock is still ours": belongs into every script that changes something. */
  readonly fence: Check
  /** The same for as long as such a script runs, and that somebody keeps the lock alive. */
  readonly watch: Watch
  /** Said when a dead lock was taken over. */
  readonly note?: string
  /**
   * Ends the heartbeat, writes the last entry of the run on the host, and gives the lock back. The problem when it could not be given
   * back; it then dies by itself.
   */
  release(last?: LastWords): Promise<Problem | undefined>
}

const scriptTimeoutMs = 30_000

/** What runs under a lock that nobody keeps alive is ended after this part of the time in which it dies. */
const watchedShare = 5 / 6

/** Got it, or who has it. */
export type Attempt =
  | { readonly kind: 'taken'; readonly lock: HostLock }
  | { readonly kind: 'held'; readonly holder: string; readonly error: ConvergeError }

/**
 * Takes the lock of one host and keeps it alive until `release`. Only who is going to change something takes it.
 *
 * @throws ConvergeError `APPLY.LOCKED` with the holder and the age of its last sign of life; `APPLY.LOCK_UNUSABLE`; `CONNECT.*`; the
 *   signal's reason
 */
export async function takeLock(request: LockRequest): Promise<HostLock> {
  const attempt = await tryLock(request)
  if (attempt.kind === 'held') throw attempt.error
  return attempt.lock
}

/** As `takeLock`, but a lock that somebody else holds is an answer. */
export async function tryLock(request: LockRequest): Promise<Attempt> {
  const first = await tryOnce(request, '')
  if (first.word !== 'held' || (await request.isProvedDead?.(first.holder)) !== true) return attemptOf(request, first)
  return attemptOf(request, await tryOnce(request, first.holder))
}

interface Tried {
  readonly word: string
  readonly age: string
  /** The owner's line of the lock as it was found. */
  readonly holder: string
}

/** @param dead the owner's line of which it is proved that its run is over; empty: of none */
async function tryOnce(request: LockRequest, dead: string): Promise<Tried> {
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

function attemptOf(request: LockRequest, { word, age, holder }: Tried): Attempt {
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
  const release = (last?: LastWords) =>
    inTime(request, async () => {
      await stopBeating()
      return giveBack(request, last === undefined ? [] : [last.log, ...last.lines])
    })
  const note = word === 'taken' ? {} : { note: word === 'taken-over' ? takenOver(age, holder) : takenFromDead(holder) }
  return { kind: 'taken', lock: { fence, watch, release, ...note } }
}

async function take(request: LockRequest, args: readonly string[]): Promise<CommandResult> {
  const { transport, signal } = request
  try {
    return await send(transport, labels.takeLock, takeScript, args, signal)
  } catch (error) {
    if (signal?.aborted === true) await inTime(request, () => giveBack(request, []))
    throw error
  }
}

/** What was interrupted twice waits no longer than this for a host that may not answer at all. */
const hurryMs = 3000

async function inTime(request: LockRequest, work: () => Promise<Problem | undefined>): Promise<Problem | undefined> {
  const { clock, force } = request
  const over = new AbortController()
  const late = async (): Promise<Problem | undefined> => {
    await aborted(AbortSignal.any([over.signal, ...(force === undefined ? [] : [force])]))
    await clock.sleep(hurryMs, over.signal)
    return notGivenBack(request, `${request.transport.host} did not answer in time.`)
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

/** Runs beside everything else; a beat that fails is not an error, because the fence decides before each step. */
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
  // Awaited only at the end; a bug in it must not end the process before that.
  beating.catch(() => undefined)
  return async () => {
    stop.abort()
    await beating
  }
}

async function giveBack(request: LockRequest, last: readonly string[]): Promise<Problem | undefined> {
  const { transport, token } = request
  const folder = folderOf(request)
  try {
    const result = await send(transport, labels.releaseLock, releaseScript, [folder, token, ...last])
    if (result.exitCode === 0) return undefined
    if (isForeign(result))
      return new ConvergeError('APPLY.LOCK_UNUSABLE', foreignWords(transport.host, request.root, result.stderr)).toProblem()
    return notGivenBack(request, `${folder} could not be removed. ${lastLines(result.stderr)}`)
  } catch (error) {
    if (!(error instanceof ConvergeError)) throw error
    return notGivenBack(request, error.why)
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

function splitThree(stdout: string): Tried {
  const [, word = '', age = '', holder = ''] = /^(\S*)(?: (\d+) ?(.*))?/.exec(stdout.trim()) ?? []
  return { word, age, holder }
}

/** Of a token, as it stands in the arguments of processes, which everybody on the host can read. */
function digestIn(token: string): string {
  return sha256(token).slice(0, 16)
}
