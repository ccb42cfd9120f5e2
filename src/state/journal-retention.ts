import { lstat, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../context/context.ts'
import { UnreadableFile } from '../inventory/unreadable-file.ts'
import { isFinished } from '../journal/journalled-run.ts'
import { listJournals, readRun } from './journals.ts'
import { stateFolder } from './state-folder.ts'

/** Limits on the number and size of kept journals; journals of unfinished runs are kept longer. */
export interface JournalLimits {
  readonly runs: number
  readonly bytes: number
  readonly unfinishedMs: number
}

const dayMs = 86_400_000
const usual: JournalLimits = { runs: 200, bytes: 64 * 1024 * 1024, unfinishedMs: 30 * dayMs }

export interface StoredJournal {
  readonly name: string
  readonly bytes: number
  /** When it was last written, in milliseconds since the epoch. */
  readonly writtenAt: number
}

/**
 * Deletes the oldest journals beyond the limits, except the newest and those of runs that can still be resumed. Errors are ignored: they
 * must not stop a run.
 */
export async function forgetOldJournals(
  context: Pick<Context, 'env' | 'cwd' | 'now'>,
  limits: JournalLimits = usual,
): Promise<void> {
  try {
    const stored = await storedJournals(context)
    const mayGo = async ({ name, writtenAt }: StoredJournal) =>
      context.now().getTime() - writtenAt > limits.unfinishedMs || !(await isUnfinished(context, name))
    for (const { name } of await beyond(stored, limits, mayGo)) await rm(pathOf(context, name), { force: true })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
  }
}

/** The files to delete, oldest first, never the newest.
 * @param stored newest first */
export async function beyond(
  stored: readonly StoredJournal[],
  limits: Pick<JournalLimits, 'runs' | 'bytes'>,
  mayGo: (journal: StoredJournal) => Promise<boolean>,
): Promise<readonly StoredJournal[]> {
  const going: StoredJournal[] = []
  let runs = stored.length
  let bytes = stored.reduce((sum, one) => sum + one.bytes, 0)
  for (const one of stored.slice(1).toReversed()) {
    if (runs <= limits.runs && bytes <= limits.bytes) break
    if (!(await mayGo(one))) continue
    going.push(one)
    runs -= 1
    bytes -= one.bytes
  }
  return going
}

async function storedJournals(context: Pick<Context, 'env' | 'cwd'>): Promise<readonly StoredJournal[]> {
  return storedFiles(await listJournals(context), (name) => pathOf(context, name))
}

/** Skips anything but regular files: converge did not create it. */
export async function storedFiles(names: readonly string[], pathTo: (name: string) => string): Promise<readonly StoredJournal[]> {
  const stored = await Promise.all(
    names.map(async (name) => {
      const found = await lstat(pathTo(name))
      return found.isFile() ? [{ name, bytes: found.size, writtenAt: found.mtimeMs }] : []
    }),
  )
  return stored.flat()
}

/** An unreadable journal counts as unfinished. */
async function isUnfinished(context: Pick<Context, 'env' | 'cwd'>, name: string): Promise<boolean> {
  try {
    const run = await readRun(context, name)
    return run !== undefined && !isFinished(run)
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    return true
  }
}

function pathOf(context: Pick<Context, 'env' | 'cwd'>, name: string): string {
  return join(stateFolder(context), 'runs', name)
}
