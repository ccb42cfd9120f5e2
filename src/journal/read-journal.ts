import type { JournalEntry } from '../model/journal.ts'

/**
 * The entries of a journal, or of its beginning. What is no whole line of JSON is passed over: the last line of a run that was killed
 * is torn, and so is one in the middle where the disk was full for a while.
 */
export function parseJournal(text: string): readonly JournalEntry[] {
  return text.split('\n').flatMap((line) => {
    const entry = parseLine(line)
    return entry === undefined ? [] : [entry]
  })
}

function parseLine(line: string): JournalEntry | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isEntry(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Of a file that nobody but us writes; a later version may have other events. */
function isEntry(value: unknown): value is JournalEntry {
  if (typeof value !== 'object' || value === null || !('event' in value) || !('at' in value)) return false
  return value.event !== 'run-begun' || ('format' in value && value.format === 1)
}
