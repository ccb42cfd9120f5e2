import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { DriftDocument } from '../../src/model/drift.ts'
import type { KeptRun } from '../../src/model/kept-run.ts'
import { overviewOfDrift } from '../../src/report/overview-of-drift.ts'
import { readPastRuns } from '../../src/state/past-runs.ts'

let state: string

beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), 'converge-past-'))
  await mkdir(join(state, 'history'))
})
afterEach(() => rm(state, { recursive: true, force: true }))

const place = () => ({ env: { CONVERGE_STATE_DIR: state }, cwd: '/' })
const id = (hour: number) => `20261101T${String(hour).padStart(2, '0')}0000Z-aaaaaa`

async function keep(hour: number, more: Partial<KeptRun> = {}): Promise<void> {
  const document: DriftDocument = JSON.parse(await readFile(join(import.meta.dirname, '../fixtures/report/drift.json'), 'utf8'))
  const kept: KeptRun = {
    schema: 'converge/kept-run/v1',
    run_id: id(hour),
    verb: 'drift',
    at: `2026-11-01T${String(hour).padStart(2, '0')}:00:09.000Z`,
    inventory: 'home',
    inventory_place: '/srv/home',
    exit_code: 2,
    overview: overviewOfDrift(document, { version: '1', issues: [], whereabouts: () => undefined }),
    document,
    ...more,
  }
  await writeFile(join(state, 'history', `${id(hour)}.json`), JSON.stringify(kept))
}

test('of an inventory are listed with their numbers, the oldest first', async () => {
  await keep(2, { services: ['co*'], document: { schema: 'converge/drift/v2', facts_from: { folder: 'facts' } } })
  await keep(1)
  const [first, second, ...others] = await readPastRuns(place(), { place: '/srv/home', until: id(9) })
  expect(others).toEqual([])
  expect([first?.runId, second?.runId]).toEqual([id(1), id(2)])
  expect(first).toMatchObject({ verb: 'drift', at: '2026-11-01T01:00:09.000Z', unreachable: 1, answerMs: {} })
  expect(first?.hosts).toEqual(['nas', 'box', 'mini-01', 'mini-02', 'studio', 'attic'])
  expect([first?.services, first?.fromFacts, second?.services, second?.fromFacts]).toEqual([[], false, ['co*'], true])
  expect(first?.findings).toEqual({ both: 1, drift: 4, pending: 1, foreign: 2, 'not compared': 3 })
})

test('later ones do not belong to a run of the past, nor what was made before a clock was set back', async () => {
  await Promise.all([keep(1), keep(2), keep(3)])
  const runs = await readPastRuns(place(), { place: '/srv/home', until: id(2) })
  expect(runs.map(({ runId }) => runId)).toEqual([id(1), id(2)])
})

test('those of another or an unknown inventory, and other files, are left out', async () => {
  await keep(1, { inventory_place: '/srv/work' })
  const { inventory_place: _unknown, ...older } = JSON.parse(await readFile(join(state, 'history', `${id(1)}.json`), 'utf8'))
  await writeFile(join(state, 'history', `${id(2)}.json`), JSON.stringify(older))
  await writeFile(join(state, 'history', `${id(3)}.json`), '{"schema":"converge/kept-run/v1"')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a person edited it
  await keep(4, { overview: { headline: 'edited' } as never })
  await mkdir(join(state, 'history', `${id(5)}.json`))
  await keep(6)
  const runs = await readPastRuns(place(), { place: '/srv/home', until: id(9) })
  expect(runs.map(({ runId }) => runId)).toEqual([id(6)])
})

test('how long a server took counts where it answered', async () => {
  const check = { name: 'completion', ok: true, detail: 'ok', ms: 2100 } as const
  const smoke = { host: 'nas', service: 'coder', ok: true, checks: [check] }
  const service = { service: 'coder', tone: 'good', state: 'works', actions: [], findings: [], smoke } as const
  const host = { host: 'nas', tone: 'good', reachable: true } as const
  const overview = (one: object) => ({
    verb: 'verify',
    headline: '',
    tone: 'good' as const,
    version: '1',
    issues: [],
    hosts: [{ ...host, services: [{ ...service, ...one }] }],
  })
  await keep(1, { verb: 'verify', overview: overview({}) })
  await keep(2, { verb: 'verify', overview: overview({ smoke: { ...smoke, checks: [{ ...check, ok: false }] } }) })
  await keep(3, { verb: 'verify', overview: overview({ smoke: { ...smoke, checks: [{ ...check, skipped: 'loading' }] } }) })
  const runs = await readPastRuns(place(), { place: '/srv/home', until: id(9) })
  expect(runs.map(({ answerMs }) => answerMs)).toEqual([{ 'nas/coder': 2100 }, {}, {}])
})
