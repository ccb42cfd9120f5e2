import { expect, it } from 'vitest'
import type { HistoryLine } from '../../src/model/kept-run.ts'
import { renderHistory } from '../../src/report/history-text.ts'
import { noPaint } from '../../src/report/paint.ts'

interface About {
  readonly hosts?: readonly string[]
  readonly owner?: string
}

/** Of the overview, what a list of runs shows. */
function ended(run_id: string, inventory: string, headline: string, { hosts = [], ...more }: About = {}): HistoryLine {
  return {
    run_id,
    verb: 'apply',
    at: '2026-11-01T08:00:00.000Z',
    inventory,
    exit_code: 0,
    ...more,
    hosts,
    headline,
    tone: 'good',
  }
}

it('is a line a run, and one of how it ended, whatever stands in its file', () => {
  const names = Array.from({ length: 30 }, (_, n) => `host-${n}\nx`)
  const text = renderHistory(
    [ended('20261101T081500Z-aaaaaa', '/srv', 'Done. '.repeat(40).trim(), { owner: 'o'.repeat(40), hosts: names })],
    noPaint,
  )
  expect(text.split('\n')[2]).toMatch(/^20261101T081500Z-aaaaaa .* o+… {2}host-0 x, host-1 x \+28$/)
  expect(text.trimEnd().split('\n')).toHaveLength(4)
})

it('lists the runs of each inventory below its path, so that a line fits an ordinary terminal', () => {
  const text = renderHistory(
    [
      ended(
        '20261101T081500Z-aaaaaa',
        '/home/op/a/very/long/path/to/where/the/inventory/of/the/house/lies',
        'Done: 5 applied, 1 refused, 2 of 2 servers verified. Only refused changes remain.',
        { owner: 'op', hosts: ['nas', 'box', ...Array.from({ length: 14 }, (_, n) => `mini-${n}`)] },
      ),
      ended('20261101T080000Z-bbbbbb', '/srv/lab', 'nothing to do.', {
        owner: 'a-person-with-a-long-name',
        hosts: ['a-host-with-a-name-that-is-longer-than-a-column-can-be.example.org'],
      }),
      {
        run_id: '20261101T073000Z-eeeeee',
        verb: 'resume',
        begun_at: '2026-11-01T07:30:12Z',
        inventory: '/srv/lab',
        owner: 'op',
        hosts: ['nas'],
      },
      { run_id: '20261101T070000Z-cccccc', unreadable: 'it was cut off' },
      ended('20261101T060000Z-dddddd', '/home/op/a/very/long/path/to/where/the/inventory/of/the/house/lies', '2 applied.'),
    ],
    noPaint,
  )
  expect(text).toBe(`/home/op/a/very/long/path/to/where/the/inventory/of/the/house/lies
run                      when               verb   exit  who  hosts
20261101T081500Z-aaaaaa  2026-11-01 08:00Z  apply  0     op   nas, box, mini-0 +13
  Done: 5 applied, 1 refused, 2 of 2 servers verified. Only refused changes remain.
20261101T060000Z-dddddd  2026-11-01 08:00Z  apply  0     -    -
  2 applied.

/srv/lab
run                      when               verb    exit  who           hosts
20261101T080000Z-bbbbbb  2026-11-01 08:00Z  apply   0     a-person-wi…  a-host-with-a-name-t…
  nothing to do.
20261101T073000Z-eeeeee  2026-11-01 07:30Z  resume  -     op            nas
  no end recorded: killed, or still running

unreadable
run                      when  verb  exit  who  hosts
20261101T070000Z-cccccc  ?     ?     ?     ?    ?
  unreadable: it was cut off
`)
})
