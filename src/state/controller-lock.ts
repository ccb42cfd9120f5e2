import { readdir, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Context } from '../context/context.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { sha256 } from '../lib/digest.ts'
import { parseObject } from '../lib/json-object.ts'
import { converge } from '../lib/next-command.ts'
import { readOwnFile } from '../load/read-regular-file.ts'
import { breakLease, isLeased, type Lease, takeLease } from './lease.ts'
import { isProvedGone, thisProcess } from './process-identity.ts'
import { openStateFolder, unusable } from './state-folder.ts'

export interface LockWanted {
  /** Absolute, without links: two ways to one inventory are one lock. */
  readonly inventory: string
  /** Names of the hosts that the run is about; absent: whatever there is. Runs about different hosts do not meet. */
  readonly hosts?: readonly string[]
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

/** The lock of hosts of one inventory on this machine; given back when it goes out of scope, and when the process ends in any way it can notice. */
export interface ControllerLock extends AsyncDisposable {
  /** Aborted when somebody else has it: this process was silent for too long (stopped, or its machine asleep), or somebody took it away. */
  readonly lost: AbortSignal
}

type Place = Pick<Context, 'env' | 'cwd' | 'clock' | 'signal'>

const pauseMs = 500

/**
 * Keeps two runs about the same hosts of an inventory on this machine apart; the locks on the hosts keep runs from different machines
 * apart. Each run has an entry with its hosts: a file beside a lease. Entries are read and made under a lease of the whole inventory that is
 * held for a moment, so that all hosts are had at once or none: two runs cannot wait for each other.
 *
 * @throws ConvergeError `CONTROLLER.LOCKED`, `STATE.UNUSABLE`; the signal's reason when it is aborted while waiting
 */
export async function lockInventory(place: Place, wanted: LockWanted): Promise<ControllerLock> {
  const { inventory, holder, lockTimeoutMs = 0, staleMs = 10_000 } = wanted
  let say = wanted.say
  const whole = join(await openStateFolder(place, 'locks'), sha256(inventory).slice(0, 16))
  const began = place.clock.now()
  for (;;) {
    const tried = await tryLock(place, whole, wanted)
    if ('lock' in tried) return tried.lock
    const { other } = tried
    // Nobody renews it any more, or it is passed through, so it is free soon; who judged that faster would take it from whoever was faster still.
    const gone = isGone(other, holder.controller) || tried.passing === true
    const patienceMs = gone ? Math.max(lockTimeoutMs, staleMs + 2 * pauseMs) : lockTimeoutMs
    if (place.clock.now() - began >= patienceMs) throw locked(wanted, other, staleMs)
    say?.(gone ? killedWords(staleMs) : `${holderWords(other)} holds the lock of ${thingWords(other)}. Waiting for it.\n`)
    say = undefined
    await pause(place, pauseMs)
  }
}

async function pause({ clock, signal }: Place, ms: number): Promise<void> {
  await clock.sleep(ms, signal)
  signal.throwIfAborted()
}

type Tried =
  | { readonly lock: ControllerLock }
  /** `passing`: of who is there nothing is known, but that he is there for a moment. */
  | { readonly other: Told; readonly passing?: boolean }

/** Ours, or who has one of the hosts. */
async function tryLock(place: Place, whole: string, wanted: LockWanted): Promise<Tried> {
  const { staleMs = 10_000 } = wanted
  const doorway = await enter(place, whole, staleMs)
  if (doorway === undefined) {
    const other = await readHolder(`${whole}.json`)
    return { other, passing: other['pid'] === undefined }
  }
  try {
    const other = await holderOf(whole, wanted, staleMs)
    if (other !== undefined) return { other }
    const lock = await makeEntry(place, `${whole}-${wanted.holder.run_id}`, wanted, staleMs)
    if (!doorway.lost.aborted) return { lock }
    // It took so long that somebody else was let in meanwhile, who may not have seen it.
    await lock[Symbol.asyncDispose]()
    return { other: {}, passing: true }
  } finally {
    await doorway.end()
  }
}

/** Undefined: somebody stays in it, as versions of converge that lock the whole inventory do. */
async function enter(place: Place, whole: string, staleMs: number): Promise<Lease | undefined> {
  const began = place.clock.now()
  for (;;) {
    const lease = await takeLease(whole, staleMs)
    if (lease !== undefined || place.clock.now() - began >= 2 * pauseMs) return lease
    await pause(place, pauseMs / 10)
  }
}

/**
 * Who is at work on one of the hosts. Entries of runs that are proved to be over are taken away; of one that is only silent (stopped, or its
 * machine asleep) it is taken where it is in the way, and left alone where it is about other hosts.
 */
async function holderOf(whole: string, wanted: LockWanted, staleMs: number): Promise<Told | undefined> {
  for (const name of await entriesOf(whole)) {
    const entry = join(dirname(whole), name)
    const told = await readHolder(`${entry}.json`)
    const isOver = await isProvedGone(told['process'])
    if (!isOver && !overlaps(told['hosts'], wanted.hosts)) continue
    if (!isOver && (await isLeased(entry, staleMs))) return told
    await breakLease(entry)
    await rm(`${entry}.json`, { force: true })
  }
  return undefined
}

async function entriesOf(whole: string): Promise<readonly string[]> {
  const names = await readdir(dirname(whole))
  return names
    .filter((name) => name.startsWith(`${basename(whole)}-`) && name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .toSorted()
}

/** What says nothing of hosts is about all of them. */
function overlaps(told: unknown, wanted: readonly string[] | undefined): boolean {
  if (!Array.isArray(told) || wanted === undefined) return true
  const theirs = new Set<unknown>(told)
  return wanted.some((host) => theirs.has(host))
}

async function makeEntry({ clock }: Place, entry: string, wanted: LockWanted, staleMs: number): Promise<ControllerLock> {
  const { inventory, hosts, holder } = wanted
  const file = `${entry}.json`
  const since = new Date(clock.now()).toISOString()
  const told = { ...holder, process: await thisProcess(), inventory, hosts, since }
  const lease = await takeLease(entry, staleMs)
  if (lease === undefined) throw unusable(entry, new Error('a run of the same name has it'))
  const giveBack = async () => {
    if (!lease.lost.aborted) await rm(file, { force: true })
    await lease.end()
  }
  try {
    // What else is in its place (a pipe would be waited for) goes.
    await rm(file, { force: true })
    await writeFile(file, `${JSON.stringify(told)}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    await giveBack()
    throw unusable(file, error)
  }
  return { lost: lease.lost, [Symbol.asyncDispose]: giveBack }
}

type Told = Readonly<Record<string, unknown>>

/** The names of ten thousand hosts fit. */
const maxBytes = 4 * 1024 * 1024

async function readHolder(file: string): Promise<Told> {
  return parseObject(await readOwnFile(file, maxBytes).catch(() => '')) ?? {}
}

/** A process of this machine that is not there any more, as far as names tell: it was killed. */
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

/** So many hosts are named. */
const maxNamed = 5

function thingWords({ hosts }: Told): string {
  if (!Array.isArray(hosts)) return 'this inventory'
  const more = hosts.length - maxNamed
  return hosts.slice(0, maxNamed).map(String).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

function locked({ inventory, hosts }: LockWanted, other: Told, staleMs: number): ConvergeError {
  const { pid } = other
  const theirs = new Set<unknown>(Array.isArray(other['hosts']) ? other['hosts'] : [])
  const free = (hosts ?? []).filter((host) => !theirs.has(host))
  return new ConvergeError('CONTROLLER.LOCKED', {
    summary: 'Another run of this inventory is in progress on this machine. Nothing was done.',
    why: `${holderWords(other)} holds the lock of ${thingWords(other)} in ${inventory}.`,
    next: [
      'Wait until that run has ended, or answer its question.',
      ...(theirs.size > 0 && free.length > 0 ? ['Leave out the hosts that it is about, with --limit: the others are free.'] : []),
      ...(typeof pid === 'number' ? [`See what it is: ps -fp ${pid}`] : []),
      `The lock of a run that was killed is free after ${Math.round(staleMs / 1000)} seconds.`,
    ],
  })
}

/** Told when it turns out; what was sent until then stands in the journal. */
export function lockLost(inventory: string): ConvergeError {
  return new ConvergeError('CONTROLLER.LOCK_LOST', {
    summary: 'Another run of this inventory took the lock on this machine. Nothing more was started.',
    why: `This run was silent for too long and lost the lock of ${inventory}; the step in flight was finished.`,
    next: [converge(['resume'], { say: 'See what the other run did, then:' })],
  })
}
