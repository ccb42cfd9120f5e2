import type { Context } from '../context/context.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import type { PastRun } from '../model/past-run.ts'
import { pastRunOf } from '../report/past-run.ts'
import { checkKept } from './kept-report.ts'
import { keptPath, listKept, readKept } from './run-history.ts'

/**
 * The runs of an inventory with kept reports, oldest first. Unreadable reports are skipped.
 *
 * @param place path of the inventory, links resolved
 * @param until id of the newest run to include; newer ids are later runs, or runs before the clock was set back
 */
export async function readPastRuns(
  context: Pick<Context, 'env' | 'cwd'>,
  { place, until }: { readonly place: string; readonly until: string },
): Promise<readonly PastRun[]> {
  const ids = await orNothing(() => listKept(context))
  const found: PastRun[] = []
  // One after another: each may be large, and only its numbers are needed.
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
