import { isObject, parseObject } from '../lib/json-object.ts'
import type { JournalEntry } from '../model/journal.ts'

/**
 * The entries of a journal, or of its beginning. Incomplete lines are skipped: the last line of a killed run may be
 * truncated, and so may a line written while the disk was full.
 */
export function parseJournal(text: string): readonly JournalEntry[] {
  return text.split('\n').flatMap((line) => {
    const entry = parseObject(line)
    return isEntry(entry) ? [entry] : []
  })
}

/** A later version may have other events. The first entry is checked, because everything else depends on it. */
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
