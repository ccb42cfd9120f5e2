import type { Context } from '../context/context.ts'
import type { HistoryRow } from '../model/kept-run.ts'
import { lineOf } from '../report/history-text.ts'
import { addToIndex, type IndexEntry, isOf, readIndex, rewriteIndex, stampOf } from './history-index.ts'
import { historyFolder, keptPath, listKept, listRuns, readJournalled, readKept } from './run-history.ts'

type StateAccess = Pick<Context, 'env' | 'cwd'>

/** Lines of runs that are gone, before the index is written anew. */
const mostSpare = 200

/** The newest runs, the newest first: from the index, and from reports that it does not have as they are now. These are added to it. */
export async function readHistory(access: StateAccess, last: number): Promise<readonly HistoryRow[]> {
  const kept = new Set(await listKept(access))
  const folder = historyFolder(access)
  const { entries, lines } = await readIndex(folder)
  const rows: HistoryRow[] = []
  const added: IndexEntry[] = []
  // One after another: each report may be large.
  for (const id of (await listRuns(access)).slice(0, last)) {
    const known = kept.has(id) ? await indexed(access, id, entries) : await readJournalled(access, id)
    rows.push('line' in known ? known.line : known)
    if ('line' in known && known !== entries.get(id)) added.push(known)
  }
  const valid = [...entries.values()].filter(({ line }) => kept.has(line.run_id))
  if (lines > valid.length + mostSpare) await rewriteIndex(folder, [...valid, ...added])
  else await addToIndex(folder, added)
  return rows
}

/** The entry of a report, which is read if the index has none, or one of an older file. */
async function indexed(
  access: StateAccess,
  id: string,
  entries: ReadonlyMap<string, IndexEntry>,
): Promise<IndexEntry | HistoryRow> {
  const stamp = await stampOf(keptPath(access, id))
  const entry = entries.get(id)
  if (isOf(entry, stamp)) return entry
  const read = await readKept(access, id)
  return 'unreadable' in read ? read : { ...stamp, line: { ...lineOf(read), run_id: id } }
}
