import { once } from 'node:events'
import { posix } from 'node:path'
import { ConvergeError } from '../errors/converge-error.ts'
import { lastLines } from '../lib/last-lines.ts'
import { stableJson } from '../lib/stable-json.ts'
import { lockTtlS } from '../model/lock-lease.ts'
import type { Problem } from '../model/plan.ts'
import type { Check } from '../model/step.ts'
import type { Clock } from '../time/clock.ts'
import type { CommandResult, Transport } from '../transports/transport.ts'
import { type Watch, watchedEndS } from '../transports/watch.ts'
import { beatScript, fenceScript, releaseScript, takeScript, watchScript } from './lock-scripts.ts'
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
   * Ends the heartbeat, writes the last words of the run on the host, and gives the lock back. The problem when it could not be given
   * back; it then dies by itself.
   */
  release(last?: LastWords): Promise<Problem | undefined>
}

const scriptTimeoutMs = 30_000

/** What runs under a lock that nobody keeps alive is ended after this part of the time in which it dies. */
const watchedShare = 5 / 6

/**
 * Takes the lock of one host and keeps it alive until `release`. Only who is going to change something takes it.
 *
 * @throws ConvergeError `APPLY.LOCKED` with the holder and the age of its last sign of life; `APPLY.LOCK_UNUSABLE`; `CONNECT.*`
 */
export async function takeLock(request: LockRequest): Promise<HostLock> {
  const { root, token, ttlS = lockTtlS, settleS = watchedEndS } = request
  const args = [root, String(ttlS), token, ownerLine(request), String(settleS)]
  const result = await take(request, args)
  const [word, age, holder] = splitThree(result.stdout)
  if (result.exitCode !== 0 || !['taken', 'taken-over', 'held'].includes(word)) throw unusable(request, result)
  if (word === 'held') throw locked(request, Number(age), holder)
  const folder = folderOf(request)
  const stopBeating = keepBeating(request, folder, ttlS)
  const fence = { label: 'the lock on the host is still ours', script: fenceScript, args: [folder, token] }
  const watch = { script: watchScript, args: [folder, token, String(Math.max(1, Math.floor(ttlS * watchedShare)))] }
  const release = (last?: LastWords) =>
    inTime(request, async () => {
      await stopBeating()
      return giveBack(request, last === undefined ? [] : [last.log, ...last.lines])
    })
  return { fence, watch, release, ...(word === 'taken' ? {} : { note: takenOver(age, holder) }) }
}

async function take(request: LockRequest, args: readonly string[]): Promise<CommandResult> {
  const { transport, signal } = request
  try {
    return await send(transport, 'take the lock', takeScript, args, signal)
  } catch (error) {
    if (signal?.aborted === true) await inTime(request, () => giveBack(request, []))
    throw error
  }
}

function folderOf({ root }: Pick<LockRequest, 'root'>): string {
  return posix.join(root, 'lock')
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
        const { exitCode } = await send(transport, 'keep the lock', beatScript, [folder, token], stop.signal)
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
    const result = await send(transport, 'give the lock back', releaseScript, [folder, token, ...last])
    if (result.exitCode === 0) return undefined
    return notGivenBack(request, `${folder} could not be removed. ${lastLines(result.stderr)}`)
  } catch (error) {
    if (!(error instanceof ConvergeError)) throw error
    return notGivenBack(request, error.why)
  }
}

function notGivenBack({ transport, ttlS = lockTtlS }: LockRequest, why: string): Problem {
  return new ConvergeError('APPLY.LOCK_UNUSABLE', {
    summary: 'The lock could not be given back.',
    why: `On ${transport.host}: ${why}`.trim(),
    next: [`It dies by itself ${ttlS} s after its last sign of life.`],
  }).toProblem()
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
  return transport.exec(sent, signal === undefined ? {} : { signal })
}

function splitThree(stdout: string): readonly [string, string, string] {
  const [, word = '', age = '', holder = ''] = /^(\S*)(?: (\d+) ?(.*))?/.exec(stdout.trim()) ?? []
  return [word, age, holder]
}

/** `op@laptop, run 4f2a…, since …`, or what stands there when it is not ours to read. */
function describeHolder(line: string): string {
  try {
    const holder: Record<string, unknown> = JSON.parse(line)
    const { owner, controller, pid, runId, since } = holder
    return `${String(owner)}@${String(controller)} (process ${String(pid)}, run ${String(runId)}, since ${String(since)})`
  } catch {
    return line === '' ? 'somebody who left no name' : line
  }
}

function takenOver(age: string, holder: string): string {
  const silence = Number(age) >= 999_999 ? 'gave no sign of life' : `was silent for ${age} s`
  return `took over a dead lock: ${describeHolder(holder)} ${silence}`
}

function locked({ transport, root, ttlS = lockTtlS }: LockRequest, ageS: number, holder: string): ConvergeError {
  return new ConvergeError('APPLY.LOCKED', {
    summary: 'Another run holds the lock on the host. Nothing was changed there.',
    why: `On ${transport.host}: ${describeHolder(holder)} holds ${posix.join(root, 'lock')}; its last sign of life was ${ageS} s ago.`,
    next: [
      `Wait until that run has ended. A lock that is silent for ${ttlS} s is taken over by the next apply.`,
      `Look at it: ssh ${transport.host} cat ${posix.join(root, 'lock', 'owner')}`,
    ],
  })
}

function unusable({ transport, root }: LockRequest, result: CommandResult): ConvergeError {
  if (/read-only file system/i.test(result.stderr)) return cannotWrite(transport.host, root, result)
  const ending = result.timedOut ? 'did not end in time' : `ended with ${result.exitCode ?? result.signal ?? 'no status'}`
  return new ConvergeError('APPLY.LOCK_UNUSABLE', {
    summary: 'The lock could not be made on the host. Nothing was changed there.',
    why: `On ${transport.host}: making ${posix.join(root, 'lock')} ${ending}. ${lastLines(result.stderr)}`.trim(),
    next: [`Look at the folder, its rights and its disk: ssh ${transport.host} 'ls -ld ${root}; df -h ${root}'`],
  })
}

function cannotWrite(host: string, root: string, { stderr }: CommandResult): ConvergeError {
  return new ConvergeError('APPLY.LOCK_UNUSABLE', {
    summary: 'The host can be looked at and not written to. Nothing was changed there.',
    why: `On ${host}: the lock could not be made, because ${root} lies on a file system that is read-only for this login. ${lastLines(stderr)}`,
    next: [
      'If this key is held to looking, apply with another: plan, facts, status and verify need no more.',
      `If it is not, see whether a disk went read-only after an error: ssh ${host} grep -w ro /proc/mounts`,
    ],
  })
}
