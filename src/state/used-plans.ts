import { readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../context/context.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { converge } from '../lib/next-command.ts'
import { readOwnFile } from '../load/read-regular-file.ts'
import type { PlanFile } from './saved-plan.ts'
import { openStateFolder, stateFolder, unusable } from './state-folder.ts'

const folderName = 'used-plans'
/** How many plans are remembered here; the hosts remember them too. */
const maxKept = 500

/** The size of a note with run and time. */
const maxBytes = 4096

/** @throws ConvergeError `PLAN.USED` if a run on this machine has applied the plan */
export async function mustBeUnused(context: Context, file: PlanFile): Promise<void> {
  const note = await readOwnFile(join(stateFolder(context), folderName, file.plan.saved.id), maxBytes).catch(() => undefined)
  if (note !== undefined) throw used(file, note)
}

/**
 * Marks the plan as applied, before anything is done.
 *
 * @returns removes the mark, for a run that did nothing
 * @throws ConvergeError `PLAN.USED` if another run was faster; `STATE.UNUSABLE`
 */
export async function usePlan(context: Context, file: PlanFile, runId: string): Promise<() => Promise<void>> {
  const folder = await openStateFolder(context, folderName)
  await forgetOldest(folder).catch(() => undefined)
  const note = join(folder, file.plan.saved.id)
  try {
    await writeFile(note, `run ${runId} at ${context.now().toISOString()}`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (isThereAlready(error)) throw used(file, await readOwnFile(note, maxBytes).catch(() => 'another run'))
    await rm(note, { force: true }).catch(() => undefined)
    throw unusable(note, error)
  }
  return () => rm(note, { force: true })
}

async function forgetOldest(folder: string): Promise<void> {
  const names = await readdir(folder)
  if (names.length < maxKept) return
  const dated = await Promise.all(names.map(async (name) => ({ name, time: (await stat(join(folder, name))).mtimeMs })))
  const oldest = dated.toSorted((a, b) => a.time - b.time).slice(0, names.length - maxKept + 1)
  await Promise.all(oldest.map(({ name }) => rm(join(folder, name), { force: true })))
}

function isThereAlready(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST'
}

function used({ path }: PlanFile, note: string): ConvergeError {
  return new ConvergeError('PLAN.USED', {
    summary: 'The plan has already been applied. Nothing was done.',
    why: `${path} was applied on this machine: ${note}. A plan can be applied only once.`,
    next: [converge(['plan'], { say: 'See what is left to do:' })],
  })
}
