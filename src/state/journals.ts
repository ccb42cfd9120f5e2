import { join } from 'node:path'
import type { Context } from '../context/context.ts'
import { UnreadableFile } from '../inventory/unreadable-file.ts'
import { type JournalledRun, runOf } from '../journal/journalled-run.ts'
import { parseJournal } from '../journal/read-journal.ts'
import { readOwnFile, readOwnHead } from '../load/read-regular-file.ts'
import type { JournalEntry, RunBegun } from '../model/journal.ts'
import { newestNames, stateFolder } from './state-folder.ts'

type StateAccess = Pick<Context, 'env' | 'cwd'>

/** Names of journals, newest first; empty if there are none. */
export async function listJournals(access: StateAccess): Promise<readonly string[]> {
  return newestNames(access, 'runs', '.ndjson')
}

/** Enough for the first line; the plan is in the second. */
const headBytes = 64 * 1024
/** Larger than any journal. */
const maxBytes = 256 * 1024 * 1024

/** The first entry of a run; undefined: the run ended before it wrote one. @throws UnreadableFile */
export async function readBegun(access: StateAccess, name: string): Promise<(RunBegun & Pick<JournalEntry, 'at'>) | undefined> {
  const head = await readOwnHead(join(stateFolder(access), 'runs', name), headBytes)
  return parseJournal(head).find((entry) => entry.event === 'run-begun')
}

/** Undefined: it ended before it sent anything. @throws UnreadableFile */
export async function readRun(access: StateAccess, name: string): Promise<JournalledRun | undefined> {
  const entries = parseJournal(await readOwnFile(join(stateFolder(access), 'runs', name), maxBytes))
  if (!entries.every(isWhole)) throw new UnreadableFile('its plan was not written by converge')
  return runOf(entries)
}

/** Checks the recorded plan, which everything else is compared with: an edited plan makes the journal unusable. */
function isWhole(entry: JournalEntry): boolean {
  if (entry.event !== 'run-planned') return true
  const hosts: unknown = entry.plan?.hosts
  return Array.isArray(hosts) && hosts.every((host: unknown) => isPlanned(host))
}

function isPlanned(host: unknown): boolean {
  if (typeof host !== 'object' || host === null || !('host' in host) || !('actions' in host)) return false
  const { actions } = host
  return (
    typeof host.host === 'string' &&
    Array.isArray(actions) &&
    actions.every((action) => typeof action === 'object' && action !== null)
  )
}

/**
 * The runs of an inventory that got as far as a plan, newest first, read lazily. Unreadable journals are reported on stderr and
 * skipped.
 *
 * @param isWanted the others are not read further
 */
export async function* runsOf(
  access: StateAccess & Pick<Context, 'err'>,
  inventory: string,
  isWanted: (begun: RunBegun) => boolean = () => true,
): AsyncGenerator<JournalledRun> {
  for (const name of await listJournals(access)) {
    const run = await readOne(access, name, (begun) => begun.inventory.path === inventory && isWanted(begun))
    if (run !== undefined) yield run
  }
}

/** The runs of the shards that share an id, newest first. */
export async function runsOfShards(
  access: StateAccess & Pick<Context, 'err'>,
  inventory: string,
  id: string,
): Promise<readonly JournalledRun[]> {
  const runs: JournalledRun[] = []
  for await (const run of runsOf(access, inventory, ({ shard }) => shard?.run_id === id)) runs.push(run)
  return runs
}

/** Undefined: not wanted, or it ended before it sent anything. */
async function readOne(
  access: StateAccess & Pick<Context, 'err'>,
  name: string,
  isWanted: (begun: RunBegun) => boolean,
): Promise<JournalledRun | undefined> {
  try {
    const begun = await readBegun(access, name)
    return begun !== undefined && isWanted(begun) ? await readRun(access, name) : undefined
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    access.err.writeProse(`Skipped: the journal ${join(stateFolder(access), 'runs', name)} cannot be read: ${error.message}.\n`)
    return undefined
  }
}
