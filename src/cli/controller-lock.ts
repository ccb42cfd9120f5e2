import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConvergeError } from '../errors/converge-error.ts'
import { sha256 } from '../lib/digest.ts'
import { parseObject } from '../lib/json-object.ts'
import type { Context } from './context.ts'
import { readOwnFile } from './read-own-file.ts'
import { openStateFolder, unusable } from './state-folder.ts'

export interface LockWanted {
  /** Absolute, without links: two ways to one inventory are one lock. */
  readonly inventory: string
  readonly holder: LockHolder
  /** How long to wait for another run to end; absent: not at all. */
  readonly lockTimeoutMs?: number
  /** Told once when there is something to wait for. */
  readonly say?: (text: string) => void
  /** Silence after which the lock of a run is dead; absent: 10 s. */
  readonly staleMs?: number
}

/** Who holds it, as it is told to who does not get it. */
export interface LockHolder {
  readonly owner: string
  readonly controller: string
  readonly pid: number
  readonly run_id: string
}

/** The lock of one inventory on this machine; given back when it goes out of scope, and when the process ends in any way it can notice. */
export interface ControllerLock extends AsyncDisposable {
  /** Aborted when somebody else has it: this process was silent for too long (stopped, or its machine asleep), or somebody took it away. */
  readonly lost: AbortSignal
}

type Place = Pick<Context, 'env' | 'cwd' | 'clock' | 'signal'>

const pauseMs = 500

/**
 * Keeps two runs of one inventory on this machine apart; the locks on the hosts keep runs from different machines apart. It is a folder
 * whose date its holder renews.
 *
 * @throws ConvergeError `CONTROLLER.LOCKED`, `STATE.UNUSABLE`; the signal's reason when it is aborted while waiting
 */
export async function lockInventory(place: Place, wanted: LockWanted): Promise<ControllerLock> {
  const { inventory, holder, lockTimeoutMs = 0, staleMs = 10_000 } = wanted
  let say = wanted.say
  const file = join(await openStateFolder(place, 'locks'), sha256(inventory).slice(0, 16))
  const holderFile = `${file}.json`
  const began = place.clock.now()
  for (;;) {
    const lost = new AbortController()
    const release = await tryLock(file, staleMs, () => lost.abort())
    if (release !== undefined) {
      const since = new Date(place.clock.now()).toISOString()
      try {
        // What else is in its place (a pipe would be waited for) goes.
        await rm(holderFile, { force: true })
        await writeFile(holderFile, `${JSON.stringify({ ...holder, inventory, since })}\n`, { mode: 0o600, flag: 'wx' })
      } catch (error) {
        await giveBack(release, holderFile, lost.signal)
        throw unusable(holderFile, error)
      }
      return { lost: lost.signal, [Symbol.asyncDispose]: () => giveBack(release, holderFile, lost.signal) }
    }
    const other = await readHolder(holderFile)
    // Nobody renews it any more, so it is free soon; who judged that faster would take it from whoever was faster still.
    const gone = isGone(other, holder.controller)
    const patienceMs = gone ? Math.max(lockTimeoutMs, staleMs + 2 * pauseMs) : lockTimeoutMs
    if (place.clock.now() - began >= patienceMs) throw locked(inventory, other, staleMs)
    say?.(gone ? killedWords(staleMs) : `${holderWords(other)} holds the lock of this inventory. Waiting for it.\n`)
    say = undefined
    await place.clock.sleep(pauseMs, place.signal)
    place.signal.throwIfAborted()
  }
}

/** Undefined: somebody has it. */
async function tryLock(file: string, staleMs: number, onLost: () => void): Promise<(() => Promise<void>) | undefined> {
  // By its default export, which is all that a bundle keeps of a CommonJS package.
  const { lock } = (await import('proper-lockfile')).default
  try {
    return await lock(file, { realpath: false, stale: staleMs, update: staleMs / 5, onCompromised: onLost })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ELOCKED') return undefined
    throw unusable(file, error)
  }
}

async function giveBack(release: () => Promise<void>, holderFile: string, lost: AbortSignal): Promise<void> {
  // What is not ours any more belongs to who has it now.
  if (lost.aborted) return
  await rm(holderFile, { force: true })
  await release().catch(() => undefined)
}

type Told = Readonly<Record<string, unknown>>

async function readHolder(file: string): Promise<Told> {
  return parseObject(await readOwnFile(file, 64 * 1024).catch(() => '')) ?? {}
}

/** A process of this machine that is not there any more: it was killed. */
function isGone({ controller, pid }: Told, here: string): boolean {
  if (controller !== here || typeof pid !== 'number' || !Number.isInteger(pid) || pid < 1) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}

function killedWords(staleMs: number): string {
  return `A run of this inventory was killed; its lock is free within ${Math.round(staleMs / 1000)} seconds.\n`
}

function holderWords({ owner, controller, pid, run_id, since }: Told): string {
  if (typeof owner !== 'string') return 'A run that left no name'
  return `${owner}@${String(controller)} (process ${String(pid)}, run ${String(run_id)}, since ${String(since)})`
}

function locked(inventory: string, other: Told, staleMs: number): ConvergeError {
  const { pid } = other
  return new ConvergeError('CONTROLLER.LOCKED', {
    summary: 'Another run of this inventory is at work on this machine. Nothing was done.',
    why: `${holderWords(other)} holds the lock of ${inventory}.`,
    next: [
      'Wait until that run has ended, or answer its question.',
      ...(typeof pid === 'number' ? [`See what it is: ps -fp ${pid}`] : []),
      `The lock of a run that was killed is free after ${Math.round(staleMs / 1000)} seconds.`,
    ],
  })
}

/** Told when it turns out; what was sent until then stands in the journal. */
export function lockLost(inventory: string): ConvergeError {
  return new ConvergeError('CONTROLLER.LOCK_LOST', {
    summary: 'Another run of this inventory took the lock on this machine. Nothing more was begun.',
    why: `This run was silent for too long and lost the lock of ${inventory}; the step in flight was finished.`,
    next: ['See what the other run did, then: converge resume'],
  })
}
