import type { HistoryEntry } from '../model/kept-run.ts'
import type { Paint, PaintStyle } from './paint.ts'
import { renderTable } from './table.ts'

const tones: ReadonlyMap<string, PaintStyle> = new Map(
  Object.entries({ good: 'green', pending: 'cyan', doubt: 'yellow', bad: 'red' } as const),
)

interface Row {
  readonly id: string
  readonly verb: string
  readonly exit: string
  readonly outcome: string
  /** Undefined: its file says nothing. */
  readonly inventory: string | undefined
}

/** A table for each inventory, one line a run, the newest first; an inventory has no column, for its path is what is longest. */
export function renderHistory(entries: readonly HistoryEntry[], paint: Paint): string {
  if (entries.length === 0) return 'No run has left a report on this machine yet.\n'
  const tables = Map.groupBy(
    entries.map((entry) => rowOf(entry, paint)),
    ({ inventory }) => inventory,
  )
  return [...tables]
    .map(([inventory, rows]) => {
      const head = ['run', 'verb', 'exit', ''].map((one) => paint(['dim'], one))
      const table = rows.map(({ id, verb, exit, outcome }) => [id, verb, exit, outcome])
      return `${paint(['bold'], inventory ?? 'not readable')}\n${renderTable(head, table)}`
    })
    .join('\n')
}

function rowOf(entry: HistoryEntry, paint: Paint): Row {
  const { run_id: id } = entry
  if ('unreadable' in entry) {
    const outcome = paint(['yellow'], `cannot be read: ${entry.unreadable}`)
    return { id, verb: '?', exit: '?', outcome, inventory: undefined }
  }
  const { verb, inventory } = entry
  return 'begun_at' in entry
    ? { id, verb, exit: '-', outcome: paint(['yellow'], 'has no end: it was killed, or is at work'), inventory }
    : { id, verb, exit: String(entry.exit_code), outcome: headline(entry.overview, paint), inventory }
}

function headline({ headline: words, tone }: { readonly headline: string; readonly tone: string }, paint: Paint): string {
  const style = tones.get(tone)
  return style === undefined ? words : paint([style], words)
}
