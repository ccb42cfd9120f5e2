import { expect, it } from 'vitest'
import type { HistoryEntry } from '../../src/model/kept-run.ts'
import { renderHistory } from '../../src/report/history-text.ts'
import { noPaint } from '../../src/report/paint.ts'

/** Of the overview, what a list of runs shows. */
function ended(run_id: string, inventory: string, headline: string): HistoryEntry {
  const run = {
    run_id,
    verb: 'apply',
    at: '2026-11-01T08:00:00.000Z',
    inventory,
    exit_code: 0,
    overview: { headline, tone: 'good' },
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rest of it is not looked at
  return run as unknown as HistoryEntry
}

it('lists the runs of each inventory below its path, so that a line fits an ordinary terminal', () => {
  const text = renderHistory(
    [
      ended(
        '20261101T081500Z-aaaaaa',
        '/home/op/a/very/long/path/to/where/the/inventory/of/the/house/lies',
        '1 applied, 1 of 1 proved to work.',
      ),
      ended('20261101T080000Z-bbbbbb', '/srv/lab', 'nothing to do.'),
      { run_id: '20261101T070000Z-cccccc', unreadable: 'it was cut off' },
      ended('20261101T060000Z-dddddd', '/home/op/a/very/long/path/to/where/the/inventory/of/the/house/lies', '2 applied.'),
    ],
    noPaint,
  )
  expect(text).toBe(`/home/op/a/very/long/path/to/where/the/inventory/of/the/house/lies
run                      verb   exit
20261101T081500Z-aaaaaa  apply  0     1 applied, 1 of 1 proved to work.
20261101T060000Z-dddddd  apply  0     2 applied.

/srv/lab
run                      verb   exit
20261101T080000Z-bbbbbb  apply  0     nothing to do.

not readable
run                      verb  exit
20261101T070000Z-cccccc  ?     ?     cannot be read: it was cut off
`)
})
