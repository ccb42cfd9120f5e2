import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { NotifyEvent } from '../../src/model/fleet.ts'
import type { Alert, SentAlert } from '../../src/model/notification.ts'
import { alertsOf } from '../../src/notify/alerts.ts'
import { compareWithSent } from '../../src/notify/compare-with-sent.ts'
import { looker } from '../../src/notify/look.ts'
import { doubtSent, parseSentAlerts, sentAlertsText } from '../../src/notify/sent-alerts-file.ts'
import { type AlertRun, fleetOf, overviewOf } from './alert-case.ts'

interface AlertCase {
  readonly name: string
  readonly on?: readonly NotifyEvent[]
  readonly runs: readonly AlertRun[]
}

const cases: readonly AlertCase[] = parse(readFileSync(new URL('../fixtures/notify/alerts.yaml', import.meta.url), 'utf8'))
const usual: readonly NotifyEvent[] = ['drift', 'foreign', 'failed', 'fetched', 'gone']

function compare(run: AlertRun, sent: readonly SentAlert[], on = usual) {
  const overview = overviewOf(run)
  const everyService = run.services === undefined
  const selects = (name: string) => run.services?.includes(name) ?? true
  const looked = looker(overview, { fleet: fleetOf(run), selects, everyService })
  return compareWithSent({ sent, found: alertsOf(overview), looked, on })
}

describe('what a reader is sent, run after run', () => {
  test.each(cases)('$name', ({ runs, on }) => {
    let sent: readonly SentAlert[] = []
    for (const [index, run] of runs.entries()) {
      const { changes, sent: now } = compare(run, sent, on)
      const said = changes.map(({ change, event, host, service, field }) =>
        [change, event, service === '(host)' ? host : `${host}/${service}`, ...(field === event ? [] : [field])].join(' '),
      )
      expect(said, `run ${index + 1}`).toEqual(run.sends ?? [])
      // As it lies on the disk between the runs.
      sent =
        parseSentAlerts(sentAlertsText({ schema: 'converge/sent-alerts/v1', at: '2026-11-01T08:00:00Z', target: 'x', sent: now }))
          ?.sent ?? []
      expect(sent).toEqual(now)
    }
  })

  test('alerts that were sent by a clock that is ahead are sent again, and resolved ones as resolved', () => {
    const run: AlertRun = { verb: 'drift', hosts: { nas: { coder: ['drift threads=4'], writer: ['drift threads=4'] } } }
    const { sent } = compare(run, [])
    const { changes } = compare({ verb: 'drift', hosts: { nas: { coder: ['drift threads=4'] } } }, doubtSent(sent))
    expect(changes.map(({ change, service }) => `${change} ${service}`)).toEqual(['changed coder', 'gone writer'])
  })

  test('a number beyond any measure counts as one, and stays sent', () => {
    const found = Array.from({ length: 20_500 }, (_, number) => `drift field${number}=1`)
    const run: AlertRun = { verb: 'drift', hosts: { nas: { coder: found } } }
    const first = compare(run, [])
    expect(first.changes).toHaveLength(20_001)
    expect(first.changes.at(-1)?.text).toBe('500 more findings, not listed one by one')
    expect(compare(run, first.sent).changes).toEqual([])
  })
})

test.each([
  '',
  'null',
  '[]',
  '{"schema":"converge/sent-alerts/v1"}',
  '{"schema":"converge/sent-alerts/v2","at":"2026-11-01T08:00:00Z","sent":[]}',
  '{"schema":"converge/sent-alerts/v1","at":"soon","sent":[]}',
  '{"schema":"converge/sent-alerts/v1","at":"2026-11-01T08:00:00Z","sent":[{"id":"a"}]}',
  '{"schema":"converge/sent-alerts/v1","at":"2026-11-01T08:00:00Z","sent":[',
])('%s is not a document of sent alerts', (text) => expect(parseSentAlerts(text)).toBeUndefined())

test('an alert has no secret way into the file: its words stay out of it', () => {
  const found: readonly Alert[] = alertsOf(overviewOf({ verb: 'drift', hosts: { nas: { coder: ['drift threads=4'] } } }))
  const { sent } = compareWithSent({ sent: [], found, looked: () => true, on: usual })
  expect(JSON.stringify(sent)).not.toContain('last applied')
})
