import { join } from 'node:path'
import type { Context } from '../context/context.ts'
import { UnreadableFile } from '../inventory/unreadable-file.ts'
import { type JournalledRun, runOf } from '../journal/journalled-run.ts'
import { parseJournal } from '../journal/read-journal.ts'
import { readOwnFile, readOwnHead } from '../load/read-regular-file.ts'
import type { JournalEntry, RunBegun } from '../model/journal.ts'
import { newestNames, stateFolder } from './state-folder.ts'

type Place = Pick<Context, 'env' | 'cwd'>

/** Names of journals, the newest first; none where no run ever left one. */
export async function listJournals(place: Place): Promise<readonly string[]> {
  return newestNames(place, 'runs', '.ndjson')
}

/** Enough for the first line; the plan is in the second. */
const headBytes = 64 * 1024
/** No journal is as large. */
const maxBytes = 256 * 1024 * 1024

/** What a run was about; undefined: it did not get as far as to say so. @throws UnreadableFile */
export async function readBegun(place: Place, name: string): Promise<(RunBegun & Pick<JournalEntry, 'at'>) | undefined> {
  const head = await readOwnHead(join(stateFolder(place), 'runs', name), headBytes)
  return parseJournal(head).find((entry) => entry.event === 'run-begun')
}

/** Undefined: it ended before it sent anything. @throws UnreadableFile */
export async function readRun(place: Place, name: string): Promise<JournalledRun | undefined> {
  const entries = parseJournal(await readOwnFile(join(stateFolder(place), 'runs', name), maxBytes))
  if (!entries.every(isWhole)) throw new UnreadableFile('its plan is not what converge writes')
  return runOf(entries)
}

/** What was decided is what all else is compared with; where somebody edited that, nothing can be said of the run. */
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
 * The runs of an inventory that sent something or were about to, the newest first; read one by one, as far as somebody wants to know.
 * Whose journal cannot be read is told on stderr and left out.
 */
export async function* runsOf(place: Place & Pick<Context, 'err'>, inventory: string): AsyncGenerator<JournalledRun> {
  for (const name of await listJournals(place)) {
    const run = await readOne(place, name, inventory)
    if (run !== undefined) yield run
  }
}

/** Undefined: it is of no run of the inventory. */
async function readOne(place: Place & Pick<Context, 'err'>, name: string, inventory: string): Promise<JournalledRun | undefined> {
  try {
    const begun = await readBegun(place, name)
    return begun?.inventory.path === inventory ? await readRun(place, name) : undefined
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    place.err.writeProse(`Left out: the journal ${join(stateFolder(place), 'runs', name)} cannot be read: ${error.message}.\n`)
    return undefined
  }
}
