import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { isFinished, runOf } from '../../src/journal/journalled-run.ts'
import { parseJournal } from '../../src/journal/read-journal.ts'

interface RunCase {
  readonly name: string
  /** Actions that were planned, by host; `gone`: it could not be looked at. */
  readonly plan: Readonly<Record<string, readonly string[] | 'gone'>>
  /** What comes after the plan; `at` is added. A string stands as it is. */
  readonly events: readonly (string | object)[]
  readonly ends: Readonly<Record<string, string>>
  readonly doubts?: readonly string[]
  readonly finished: boolean
}

const at = '2026-11-01T09:00:00.000Z'
const cases: readonly RunCase[] = parse(readFileSync(new URL('../fixtures/journal/runs.yaml', import.meta.url), 'utf8'))

function journalOf({ plan, events }: RunCase): string {
  const hosts = Object.entries(plan).map(([host, actions]) => ({
    host,
    reachable: actions !== 'gone',
    actions: actions === 'gone' ? [] : actions.map((id) => ({ id: `${host}/${id}`, kind: id.split('/')[1] })),
  }))
  const first = [
    { event: 'run-begun', format: 1, run_id: 'r', inventory: { path: '/srv/fleet' }, selection: { services: [] } },
    { event: 'run-planned', plan: { hosts } },
  ]
  return [...first, ...events].map((one) => (typeof one === 'string' ? one : JSON.stringify({ at, ...one }))).join('\n')
}

describe('the journal of a run', () => {
  it.each(cases)('$name', (runCase) => {
    const run = runOf(parseJournal(journalOf(runCase)))
    expect(Object.fromEntries((run?.hosts ?? []).map(({ host, state }) => [host, state]))).toEqual(runCase.ends)
    expect(run?.hosts.flatMap(({ inDoubt }) => inDoubt.map(({ step }) => step))).toEqual(runCase.doubts ?? [])
    expect(run !== undefined && isFinished(run)).toBe(runCase.finished)
  })

  it('is nothing where it was killed before it knew what to do, or is of a later version', () => {
    const about = { run_id: 'r', inventory: { path: '/srv/fleet' }, selection: { services: [] } }
    const begun = JSON.stringify({ event: 'run-begun', at, format: 1, ...about })
    expect(runOf(parseJournal(`${begun}\n`))).toBeUndefined()
    const later = begun.replace('"format":1', '"format":2')
    expect(parseJournal(`${later}\n{"event":"of tomorrow","at":"${at}"}`)).toMatchObject([{ event: 'of tomorrow' }])
  })

  it('is not lost with a torn line', () => {
    const whole = journalOf({ name: '', plan: { nas: ['coder/start'] }, events: [], ends: {}, finished: false })
    for (const torn of ['{"event":"step-int', '{', '\u0000\u0000', 'null', '"text"', '[]'])
      expect(runOf(parseJournal(`${whole}\n${torn}`))?.hosts).toMatchObject([{ state: 'unreached' }])
  })
})
