import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../context/context.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { UnreadableFile } from '../inventory/unreadable-file.ts'
import { defined } from '../lib/defined.ts'
import { isObject } from '../lib/json-object.ts'
import { readOwnFile } from '../load/read-regular-file.ts'
import type { HistoryEntry, KeptRun } from '../model/kept-run.ts'
import { beyond, storedFiles } from './journal-retention.ts'
import { listJournals, readBegun, readRun } from './journals.ts'
import { newestNames, openStateFolder, stateFolder } from './state-folder.ts'
import { writeWhole } from './write-whole.ts'

type Place = Pick<Context, 'env' | 'cwd'>

const folderName = 'history'

/** So many reports are kept, and so many bytes of them. */
const limits = { runs: 200, bytes: 64 * 1024 * 1024 }

const tooLarge = 'This run is not in the history: its report is larger than 64 MiB, which is all that is kept of every run.\n'

/**
 * Writes down how a run ended, and forgets the oldest beyond the limits. It is for memory only: where it cannot be written, or is larger
 * than all may be together, the run is told so on stderr and goes on.
 */
export async function keepRun(context: Place & Pick<Context, 'err'>, kept: KeptRun): Promise<void> {
  try {
    const text = `${JSON.stringify(kept)}\n`
    if (Buffer.byteLength(text) > limits.bytes) return context.err.writeProse(tooLarge)
    const folder = await openStateFolder(context, folderName)
    await writeWhole(join(folder, `${kept.run_id}.json`), text, { mode: 0o600 })
    await forgetOldest(context, kept.run_id)
  } catch (error) {
    if (!(error instanceof ConvergeError)) throw error
    context.err.writeProse(`This run is not in the history: ${error.why}\n`)
  }
}

/** What another run has just forgotten, or what cannot be deleted, is no reason not to tell what this one did. */
async function forgetOldest(place: Place, newest: string): Promise<void> {
  const folder = join(stateFolder(place), folderName)
  try {
    // By the clock it may be the oldest: clocks are set back.
    const ids = [newest, ...(await listKept(place)).filter((id) => id !== newest)]
    const stored = await storedFiles(ids, (id) => join(folder, `${id}.json`))
    for (const { name } of await beyond(stored, limits, async () => true)) await rm(join(folder, `${name}.json`), { force: true })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
  }
}

/** Ids of runs whose reports are kept, the newest first. */
export async function listKept(place: Place): Promise<readonly string[]> {
  const names = await newestNames(place, folderName, '.json')
  return names.map((name) => name.slice(0, -'.json'.length))
}

/** Ids of runs that left a report or a journal, the newest first. */
export async function listRuns(place: Place): Promise<readonly string[]> {
  const journalled = (await listJournals(place)).map(runOfJournal)
  return [...new Set([...(await listKept(place)), ...journalled])].toSorted().toReversed()
}

/** Its report; else what its journal says it was about. */
export async function readEntry(place: Place, id: string): Promise<HistoryEntry> {
  const [kept, journals] = await Promise.all([listKept(place), listJournals(place)])
  if (kept.includes(id)) return readKept(place, id)
  const journal = journals.find((name) => runOfJournal(name) === id)
  return journal === undefined ? { run_id: id, unreadable: 'it is gone' } : readUnended(place, id, journal)
}

async function readUnended(place: Place, id: string, journal: string): Promise<HistoryEntry> {
  try {
    const begun = await readBegun(place, journal)
    if (begun === undefined) return { run_id: id, unreadable: 'its journal does not say what it was about' }
    const hosts = (await readRun(place, journal))?.plan.hosts.map(({ host }) => host)
    return {
      run_id: id,
      verb: begun.verb,
      begun_at: begun.at,
      inventory: begun.inventory.path,
      ...(typeof begun.owner === 'string' ? { owner: begun.owner } : {}),
      ...defined({ hosts }),
    }
  } catch (error) {
    return { run_id: id, unreadable: `of its journal: ${wordsOf(error)}` }
  }
}

function runOfJournal(name: string): string {
  return name.replace(/\.ndjson$/, '')
}

/** Where the report of a run is kept. */
export function keptPath(place: Place, id: string): string {
  return join(stateFolder(place), folderName, `${id}.json`)
}

/** A file that was cut off, or that somebody edited, is an entry that says so. */
export async function readKept(place: Place, id: string): Promise<HistoryEntry> {
  try {
    const kept: unknown = JSON.parse(await readOwnFile(keptPath(place, id), limits.bytes))
    if (isKept(kept)) return kept
    return { run_id: id, unreadable: 'it is not what converge writes' }
  } catch (error) {
    return { run_id: id, unreadable: wordsOf(error) }
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof SyntaxError || error instanceof UnreadableFile) return error.message.split(', ')[0] ?? ''
  throw error
}

/** What a line of the history is made of; the rest is looked at when it is told. */
function isKept(value: unknown): value is KeptRun {
  if (!isObject(value) || value['schema'] !== 'converge/kept-run/v1' || !('document' in value)) return false
  const { verb, inventory, at, exit_code, overview, owner = '' } = value
  const texts = [verb, inventory, at, owner, isObject(overview) ? overview['headline'] : undefined]
  return texts.every((text) => typeof text === 'string') && typeof exit_code === 'number'
}
