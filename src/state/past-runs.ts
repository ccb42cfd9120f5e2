import type { Context } from '../context/context.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import type { PastRun } from '../model/past-run.ts'
import { pastRunOf } from '../report/past-run.ts'
import { checkKept } from './kept-report.ts'
import { keptPath, listKept, readKept } from './run-history.ts'

/**
 * The runs of an inventory whose reports are kept, the oldest first. It is an extra: what cannot be read is left out.
 *
 * @param place the inventory's, links followed
 * @param until id of the newest that counts: what is newer was later, or is of a clock that has been set back since
 */
export async function readPastRuns(
  context: Pick<Context, 'env' | 'cwd'>,
  { place, until }: { readonly place: string; readonly until: string },
): Promise<readonly PastRun[]> {
  const ids = await orNothing(() => listKept(context))
  const found: PastRun[] = []
  // One after the other: each may be large, and only its numbers are wanted.
  for (const id of ids.filter((one) => one <= until).toReversed())
    found.push(...(await orNothing(() => readPastRun(context, id, place))))
  return found
}

async function orNothing<T>(read: () => Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ConvergeError) return []
    throw error
  }
}

async function readPastRun(context: Pick<Context, 'env' | 'cwd'>, id: string, place: string): Promise<readonly PastRun[]> {
  const entry = await readKept(context, id)
  if ('unreadable' in entry || 'begun_at' in entry || entry.inventory_place !== place) return []
  await checkKept(entry, keptPath(context, id))
  return [pastRunOf({ ...entry, run_id: id })]
}
