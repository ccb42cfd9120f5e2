import type { HistoryEntry } from '../model/kept-run.ts'
import type { Paint, PaintStyle } from './paint.ts'
import { renderTable } from './table.ts'

const tones: ReadonlyMap<string, PaintStyle> = new Map(
  Object.entries({ good: 'green', pending: 'cyan', doubt: 'yellow', bad: 'red' } as const),
)

/** One line a run, the newest first. */
export function renderHistory(entries: readonly HistoryEntry[], paint: Paint): string {
  if (entries.length === 0) return 'No run has left a report on this machine yet.\n'
  return renderTable(
    ['run', 'verb', 'exit', 'inventory', ''].map((one) => paint(['dim'], one)),
    entries.map((entry) =>
      'unreadable' in entry
        ? [entry.run_id, '?', '?', '', paint(['yellow'], `cannot be read: ${entry.unreadable}`)]
        : 'begun_at' in entry
          ? [entry.run_id, entry.verb, '-', entry.inventory, paint(['yellow'], 'has no end: it was killed, or is at work')]
          : [entry.run_id, entry.verb, String(entry.exit_code), entry.inventory, headline(entry.overview, paint)],
    ),
  )
}

function headline({ headline: words, tone }: { readonly headline: string; readonly tone: string }, paint: Paint): string {
  const style = tones.get(tone)
  return style === undefined ? words : paint([style], words)
}
