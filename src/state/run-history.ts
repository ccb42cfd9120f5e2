import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../context/context.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { UnreadableFile } from '../inventory/unreadable-file.ts'
import { defined } from '../lib/defined.ts'
import { isObject } from '../lib/json-object.ts'
import { lengthOfTexts } from '../lib/length-of-texts.ts'
import { readOwnFile } from '../load/read-regular-file.ts'
import type { HistoryEntry, KeptRun, UnendedRun, UnreadableRun } from '../model/kept-run.ts'
import { lineOf } from '../report/history-text.ts'
import { addToIndex, stampOf } from './history-index.ts'
import { beyond, storedFiles } from './journal-retention.ts'
import { listJournals, readBegun, readRun } from './journals.ts'
import { newestNames, openStateFolder, stateFolder } from './state-folder.ts'
import { writeWhole } from './write-whole.ts'

type StateAccess = Pick<Context, 'env' | 'cwd'>

const folderName = 'history'

/** Limits on the number and size of kept reports. */
const limits = { runs: 200, bytes: 64 * 1024 * 1024 }

const tooLarge = 'This run is not in the history: its report exceeds 64 MiB, the limit for the whole history.\n'

/**
 * Writes the report of a run into the history, and deletes the oldest reports beyond the limits. The history is optional: a failure is
 * reported on stderr and the run continues.
 */
export async function keepRun(context: StateAccess & Pick<Context, 'err'>, kept: KeptRun): Promise<void> {
  try {
    // Without its punctuation: its JSON may be longer than one string can be.
    if (lengthOfTexts(kept) > limits.bytes) return context.err.writeProse(tooLarge)
    const text = `${JSON.stringify(kept)}\n`
    if (Buffer.byteLength(text) > limits.bytes) return context.err.writeProse(tooLarge)
    const folder = await openStateFolder(context, folderName)
    const path = join(folder, `${kept.run_id}.json`)
    await writeWhole(path, text, { mode: 0o600 })
    const stamp = await stampOf(path)
    await forgetOldest(context, kept.run_id)
    // Another size: another run has just replaced it, and the line would be wrong.
    if (stamp.size === Buffer.byteLength(text)) await addToIndex(folder, [{ ...stamp, line: lineOf(kept) }])
  } catch (error) {
    if (!(error instanceof ConvergeError)) throw error
    context.err.writeProse(`This run is not in the history: ${error.why}\n`)
  }
}

/** Ignores reports that another run has just deleted, or that cannot be deleted. */
async function forgetOldest(access: StateAccess, newest: string): Promise<void> {
  const folder = join(stateFolder(access), folderName)
  try {
    // After the clock was set back, the newest may sort as the oldest.
    const ids = [newest, ...(await listKept(access)).filter((id) => id !== newest)]
    const stored = await storedFiles(ids, (id) => join(folder, `${id}.json`))
    for (const { name } of await beyond(stored, limits, async () => true)) await rm(join(folder, `${name}.json`), { force: true })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
  }
}

/** Ids of runs with kept reports, newest first. */
export async function listKept(access: StateAccess): Promise<readonly string[]> {
  const names = await newestNames(access, folderName, '.json')
  return names.map((name) => name.slice(0, -'.json'.length))
}

/** Ids of runs with a report or a journal, newest first. */
export async function listRuns(access: StateAccess): Promise<readonly string[]> {
  const journalled = (await listJournals(access)).map(runOfJournal)
  return [...new Set([...(await listKept(access)), ...journalled])].toSorted().toReversed()
}

/** The report of a run; without one, the beginning of its journal. */
export async function readEntry(access: StateAccess, id: string): Promise<HistoryEntry> {
  return (await listKept(access)).includes(id) ? readKept(access, id) : readJournalled(access, id)
}

/** A run without a report: the beginning of its journal. */
export async function readJournalled(access: StateAccess, id: string): Promise<UnendedRun | UnreadableRun> {
  const journal = (await listJournals(access)).find((name) => runOfJournal(name) === id)
  return journal === undefined ? { run_id: id, unreadable: 'it is gone' } : readUnended(access, id, journal)
}

async function readUnended(access: StateAccess, id: string, journal: string): Promise<UnendedRun | UnreadableRun> {
  try {
    const begun = await readBegun(access, journal)
    if (begun === undefined) return { run_id: id, unreadable: 'its journal has no first entry' }
    const hosts = (await readRun(access, journal))?.plan.hosts.map(({ host }) => host)
    return {
      run_id: id,
      verb: begun.verb,
      begun_at: begun.at,
      inventory: begun.inventory.path,
      ...(typeof begun.owner === 'string' ? { owner: begun.owner } : {}),
      ...defined({ hosts }),
    }
  } catch (error) {
    return { run_id: id, unreadable: `its journal: ${wordsOf(error)}` }
  }
}

function runOfJournal(name: string): string {
  return name.replace(/\.ndjson$/, '')
}

/** Where reports are kept. */
export function historyFolder(access: StateAccess): string {
  return join(stateFolder(access), folderName)
}

/** Where the report of a run is kept. */
export function keptPath(access: StateAccess, id: string): string {
  return join(stateFolder(access), folderName, `${id}.json`)
}

/** A truncated or edited file becomes an unreadable entry. */
export async function readKept(access: StateAccess, id: string): Promise<KeptRun | UnreadableRun> {
  try {
    const kept: unknown = JSON.parse(await readOwnFile(keptPath(access, id), limits.bytes))
    if (isKept(kept)) return kept
    return { run_id: id, unreadable: 'it was not written by converge' }
  } catch (error) {
    return { run_id: id, unreadable: wordsOf(error) }
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof SyntaxError || error instanceof UnreadableFile) return error.message.split(', ')[0] ?? ''
  throw error
}

/** Checks what a line of the history needs; the rest is checked when the report is shown. */
function isKept(value: unknown): value is KeptRun {
  if (!isObject(value) || value['schema'] !== 'converge/kept-run/v1' || !('document' in value)) return false
  const { verb, inventory, at, exit_code, overview, owner = '' } = value
  const texts = [verb, inventory, at, owner, isObject(overview) ? overview['headline'] : undefined]
  return texts.every((text) => typeof text === 'string') && typeof exit_code === 'number'
}
