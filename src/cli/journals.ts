import { open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type JournalledRun, runOf } from '../journal/journalled-run.ts'
import { parseJournal } from '../journal/read-journal.ts'
import type { JournalEntry, RunBegun } from '../model/journal.ts'
import type { Context } from './context.ts'
import { stateFolder, unusable } from './state-folder.ts'

type Place = Pick<Context, 'env' | 'cwd'>

/** Names of journals, the newest first; none where no run ever left one. */
export async function listJournals(place: Place): Promise<readonly string[]> {
  try {
    const names = await readdir(join(stateFolder(place), 'runs'))
    return names
      .filter((name) => name.endsWith('.ndjson'))
      .toSorted()
      .toReversed()
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return []
    throw unusable(join(stateFolder(place), 'runs'), error)
  }
}

/** Enough for the first line; the plan is in the second. */
const headBytes = 64 * 1024

/** What a run was about; undefined: it did not get as far as to say so. */
export async function readBegun(place: Place, name: string): Promise<(RunBegun & Pick<JournalEntry, 'at'>) | undefined> {
  const file = await open(join(stateFolder(place), 'runs', name))
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    return parseJournal(buffer.toString('utf8', 0, bytesRead)).find((entry) => entry.event === 'run-begun')
  } finally {
    await file.close()
  }
}

/** Undefined: it ended before it sent anything. */
export async function readRun(place: Place, name: string): Promise<JournalledRun | undefined> {
  return runOf(parseJournal(await readFile(join(stateFolder(place), 'runs', name), 'utf8')))
}

/** The runs of an inventory that sent something or were about to, the newest first; read one by one, as far as somebody wants to know. */
export async function* runsOf(place: Place, inventory: string): AsyncGenerator<JournalledRun> {
  for (const name of await listJournals(place)) {
    const begun = await readBegun(place, name)
    if (begun?.inventory.path !== inventory) continue
    const run = await readRun(place, name)
    if (run !== undefined) yield run
  }
}
