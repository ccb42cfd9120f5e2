import { isObject, parseObject } from '../lib/json-object.ts'
import type { JournalEntry } from '../model/journal.ts'

/**
 * The entries of a journal, or of its beginning. What is no whole line of JSON is passed over: the last line of a run that was killed
 * is torn, and so is one in the middle where the disk was full for a while.
 */
export function parseJournal(text: string): readonly JournalEntry[] {
  return text.split('\n').flatMap((line) => {
    const entry = parseObject(line)
    return isEntry(entry) ? [entry] : []
  })
}

/** A later version may have other events; what says who a run was is looked at, for all else is found by it. */
function isEntry(value: unknown): value is JournalEntry {
  if (!isObject(value) || typeof value['event'] !== 'string' || typeof value['at'] !== 'string') return false
  if (value['event'] !== 'run-begun') return true
  const { format, run_id, inventory, selection } = value
  return (
    format === 1 &&
    typeof run_id === 'string' &&
    isObject(inventory) &&
    typeof inventory['path'] === 'string' &&
    isObject(selection) &&
    Array.isArray(selection['services'])
  )
}
