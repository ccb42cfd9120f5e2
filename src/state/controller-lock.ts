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

export interface LockRequest {
  /** Absolute, links resolved: two paths to one inventory share one lock. */
  readonly inventory: string
  /** Names of the run's hosts; absent: all hosts. Runs of different hosts do not block each other. */
  readonly hosts?: readonly string[]
  readonly holder: LockHolder
  /** How long to wait for another run; absent: do not wait. */
  readonly lockTimeoutMs?: number
  /** Called once when the wait begins. */
  readonly note?: (text: string) => void
  /** Silence after which the lock of a run is dead; absent: 10 s. */
  readonly staleMs?: number
}

/** The holder, as shown to the run that is refused. */
export interface LockHolder {
  readonly owner: string
  readonly controller: string
  readonly pid: number
  readonly run_id: string
}

/** The lock of hosts of one inventory on this machine. Released when it goes out of scope, and when the process exits in any way it can notice. */
export interface ControllerLock extends AsyncDisposable {
  /** Aborted when the lock is lost: this process was silent for too long (stopped, or the machine slept), or a person removed it. */
  readonly lost: AbortSignal
}

type StateAccess = Pick<Context, 'env' | 'cwd' | 'clock' | 'signal'>

const pauseMs = 500

/**
 * Prevents two runs on this machine from using the same hosts of an inventory; the locks on the hosts do that for runs on different
 * machines. Each run has an entry with its hosts: a file beside a lease. Entries are read and made under a short lease of the whole
 * inventory, so that a run gets all its hosts at once or none: two runs cannot deadlock.
 *
 * @throws ConvergeError `CONTROLLER.LOCKED`, `STATE.UNUSABLE`; the signal's reason when it is aborted while waiting
 */
export async function lockInventory(access: StateAccess, request: LockRequest): Promise<ControllerLock> {
  const { inventory, holder, lockTimeoutMs = 0, staleMs = 10_000 } = request
  let note = request.note
  const whole = join(await openStateFolder(access, 'locks'), sha256(inventory).slice(0, 16))
  const began = access.clock.now()
  for (;;) {
    const attempt = await tryLock(access, whole, request)
    if ('lock' in attempt) return attempt.lock
    const { other } = attempt
    // A dead lock, or one that is only held for a moment, is free soon. Breaking it earlier could take it from a faster run.
    const gone = isGone(other, holder.controller) || attempt.passing === true
    const patienceMs = gone ? Math.max(lockTimeoutMs, staleMs + 2 * pauseMs) : lockTimeoutMs
    if (access.clock.now() - began >= patienceMs) throw locked(request, other, staleMs)
    note?.(gone ? killedWords(staleMs) : `${holderWords(other)} holds the lock of ${thingWords(other)}. Waiting for it.\n`)
    note = undefined
    await pause(access, pauseMs)
  }
}

async function pause({ clock, signal }: StateAccess, ms: number): Promise<void> {
  await clock.sleep(ms, signal)
  signal.throwIfAborted()
}

type LockAttempt =
  | { readonly lock: ControllerLock }
  /** `passing`: an unknown process holds the lock for a moment. */
  | { readonly other: LockRecord; readonly passing?: boolean }

/** Our lock, or the holder of one of the hosts. */
async function tryLock(access: StateAccess, whole: string, request: LockRequest): Promise<LockAttempt> {
  const { staleMs = 10_000 } = request
  const gate = await enterGate(access, whole, staleMs)
  if (gate === undefined) {
    const other = await readHolder(`${whole}.json`)
    return { other, passing: other['pid'] === undefined }
  }
  try {
    const other = await holderOf(whole, request, staleMs)
    if (other !== undefined) return { other }
    const lock = await makeEntry(access, `${whole}-${request.holder.run_id}`, request, staleMs)
    if (!gate.lost.aborted) return { lock }
    // It took so long that another run may have entered meanwhile without seeing this entry.
    await lock[Symbol.asyncDispose]()
    return { other: {}, passing: true }
  } finally {
    await gate.end()
  }
}

/** Undefined: another process keeps it, as versions of converge do that lock the whole inventory. */
async function enterGate(access: StateAccess, whole: string, staleMs: number): Promise<Lease | undefined> {
  const began = access.clock.now()
  for (;;) {
    const lease = await takeLease(whole, staleMs)
    if (lease !== undefined || access.clock.now() - began >= 2 * pauseMs) return lease
    await pause(access, pauseMs / 10)
  }
}

/**
 * The run that holds one of the hosts. Entries of runs that have provably ended are removed. An entry that is only silent (its run
 * stopped, or the machine slept) is removed if it shares a host, and kept otherwise.
 */
async function holderOf(whole: string, request: LockRequest, staleMs: number): Promise<LockRecord | undefined> {
  for (const name of await entriesOf(whole)) {
    const entry = join(dirname(whole), name)
    const record = await readHolder(`${entry}.json`)
    const isOver = await isProvedGone(record['process'])
    if (!isOver && !overlaps(record['hosts'], request.hosts)) continue
    if (!isOver && (await isLeased(entry, staleMs))) return record
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

/** An entry without hosts covers all of them. */
function overlaps(recorded: unknown, hosts: readonly string[] | undefined): boolean {
  if (!Array.isArray(recorded) || hosts === undefined) return true
  const theirs = new Set<unknown>(recorded)
  return hosts.some((host) => theirs.has(host))
}

async function makeEntry({ clock }: StateAccess, entry: string, request: LockRequest, staleMs: number): Promise<ControllerLock> {
  const { inventory, hosts, holder } = request
  const file = `${entry}.json`
  const since = new Date(clock.now()).toISOString()
  const record = { ...holder, process: await thisProcess(), inventory, hosts, since }
  const lease = await takeLease(entry, staleMs)
  if (lease === undefined) throw unusable(entry, new Error('a run with the same id holds it'))
  const release = async () => {
    if (!lease.lost.aborted) await rm(file, { force: true })
    await lease.end()
  }
  try {
    // Remove anything else at this path first: opening a pipe would block.
    await rm(file, { force: true })
    await writeFile(file, `${JSON.stringify(record)}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    await release()
    throw unusable(file, error)
  }
  return { lost: lease.lost, [Symbol.asyncDispose]: release }
}

type LockRecord = Readonly<Record<string, unknown>>

/** Large enough for the names of ten thousand hosts. */
const maxBytes = 4 * 1024 * 1024

async function readHolder(file: string): Promise<LockRecord> {
  return parseObject(await readOwnFile(file, maxBytes).catch(() => '')) ?? {}
}

/** By its pid and controller name, a process of this machine that is gone: it was killed. */
function isGone({ controller, pid }: LockRecord, here: string): boolean {
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

function holderWords({ owner, controller, pid, run_id, since }: LockRecord): string {
  if (typeof owner !== 'string') return 'An unnamed run'
  return `${owner}@${String(controller)} (process ${String(pid)}, run ${String(run_id)}, since ${String(since)})`
}

/** How many hosts are named. */
const maxNamed = 5

function thingWords({ hosts }: LockRecord): string {
  if (!Array.isArray(hosts)) return 'this inventory'
  const more = hosts.length - maxNamed
  return hosts.slice(0, maxNamed).map(String).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

function locked({ inventory, hosts }: LockRequest, other: LockRecord, staleMs: number): ConvergeError {
  const { pid } = other
  const theirs = new Set<unknown>(Array.isArray(other['hosts']) ? other['hosts'] : [])
  const free = (hosts ?? []).filter((host) => !theirs.has(host))
  return new ConvergeError('CONTROLLER.LOCKED', {
    summary: 'Another run of this inventory is in progress on this machine. Nothing was done.',
    why: `${holderWords(other)} holds the lock of ${thingWords(other)} in ${inventory}.`,
    next: [
      'Wait for that run to end, or answer its question.',
      ...(theirs.size > 0 && free.length > 0 ? ['Exclude its hosts with --limit: the others are free.'] : []),
      ...(typeof pid === 'number' ? [`Look at its process: ps -fp ${pid}`] : []),
      `The lock of a killed run is free after ${Math.round(staleMs / 1000)} seconds.`,
    ],
  })
}

/** For a run that lost the lock; the journal has what was sent until then. */
export function lockLost(inventory: string): ConvergeError {
  return new ConvergeError('CONTROLLER.LOCK_LOST', {
    summary: 'Another run of this inventory took the lock on this machine. Nothing more was started.',
    why: `This run was silent for too long and lost the lock of ${inventory}. The running step was finished.`,
    next: [converge(['resume'], { say: 'See what the other run did, then:' })],
  })
}
