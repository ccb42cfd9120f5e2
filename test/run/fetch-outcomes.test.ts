import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createRedactor } from '../../src/lib/redactor.ts'
import type { FetchDocument, FetchedModel } from '../../src/model/fetch-document.ts'
import type { KeptRun } from '../../src/model/kept-run.ts'
import { overviewOfFetch } from '../../src/report/overview-of-fetch.ts'
import { noteOutcomes, type SeenFetch } from '../../src/run/fetch-outcomes.ts'
import { checkKept } from '../../src/state/kept-report.ts'
import { keepRun, keptPath, readKept } from '../../src/state/run-history.ts'

const run_id = '20261122T230000Z-4f2a1c'
const commit = 'c1'.repeat(20)
const at = { file: 'hosts.yaml', line: 3, column: 5 }

let state: string
let now: Date
let said: string
beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), 'converge-outcomes-'))
  now = new Date('2026-11-23T07:00:00Z')
  said = ''
  await keepRun(place(), aRun())
})
afterEach(() => rm(state, { recursive: true, force: true }))

function place() {
  return {
    env: { CONVERGE_STATE_DIR: state },
    cwd: '/',
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing but `write` is used
    err: { writeProse: (text: string) => (said += text) } as never,
    now: () => now,
    redactor: createRedactor((secret) => secret.reveal()),
  }
}

function aModel(more: Partial<FetchedModel> = {}): FetchedModel {
  return {
    host: 'nas',
    services: ['coder'],
    model: '/m/coder.gguf',
    hub: 'https://hub.example',
    repo: 'org/coder',
    revision: 'main',
    commit,
    files: [{ path: '/m/coder.gguf', bytes: 2048, have: 1024, state: 'partial' }],
    state: 'fetching',
    job: { state: 'working', alive: true, commit, run_id },
    ...more,
  }
}

function aRun(models: readonly FetchedModel[] = [aModel(), aModel({ host: 'box', model: '/m/writer.gguf' })]): KeptRun {
  const document: FetchDocument = {
    schema: 'converge/fetch/v1',
    run_id,
    created_at: '2026-11-22T23:00:04.000Z',
    inventory: { path: 'inventories/home', digest: '0'.repeat(64) },
    unreachable: [],
    models,
  }
  return {
    schema: 'converge/kept-run/v1',
    run_id,
    verb: 'fetch',
    at: '2026-11-22T23:00:04.000Z',
    inventory: 'inventories/home',
    exit_code: 0,
    overview: overviewOfFetch(document, { version: '1', issues: [], whereabouts: () => at }),
    document,
  }
}

function seen(jobState: 'working' | 'done' | 'failed' | 'stopped', more: Partial<SeenFetch> = {}): SeenFetch {
  const job = { state: jobState, alive: false, commit, run_id, ...(jobState === 'failed' ? { reason: 'full' as const } : {}) }
  return { host: 'nas', model: '/m/coder.gguf', job, ...more }
}

async function kept() {
  const run = await readKept(place(), run_id)
  if (!('document' in run)) throw new Error('there is no report')
  await checkKept(run, 'it')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it fits its schema
  const { models, created_at } = run.document as FetchDocument
  return { run, created_at, model: models[0], other: models[1], headline: run.overview.headline }
}

describe('how a download ended', () => {
  test('completes the run that began it, once', async () => {
    await noteOutcomes(place(), [seen('done')])
    const { run, model, other, headline, created_at } = await kept()
    expect(headline).toBe('1 complete, 1 being fetched, 3 KiB of 4 KiB (2 hosts).')
    expect(model).toMatchObject({ state: 'complete', files: [{ have: 2048, state: 'complete' }], job: { state: 'done' } })
    expect(other).toEqual(aModel({ host: 'box', model: '/m/writer.gguf' }))
    expect(run).toMatchObject({ at: '2026-11-22T23:00:04.000Z', exit_code: 0 })
    expect(run.overview.hosts[0]?.services[0]).toMatchObject({ at, actions: [{ kind: 'fetch', result: { status: 'applied' } }] })
    expect(created_at).toBe('2026-11-23T07:00:00.000Z')
    now = new Date('2026-11-23T08:00:00Z')
    await noteOutcomes(place(), [seen('done')])
    expect((await kept()).created_at).toBe(created_at)
  })

  test.each([
    ['failed', seen('failed'), { state: 'failed', problem: { code: 'MODEL.NO_SPACE' } }, '1 being fetched, 1 failed'],
    ['stopped', seen('stopped'), { state: 'stopped' }, '1 being fetched, 1 stopped'],
    ['cut off', seen('working'), { state: 'due' }, '1 being fetched, 1 cut off'],
  ])('is reported: %s', async (_, one, model, headline) => {
    await noteOutcomes(place(), [one])
    const found = await kept()
    expect(found.model).toMatchObject(model)
    expect(found.model?.files).toEqual(aModel().files)
    expect(found.headline).toContain(headline)
  })

  test.each<[string, SeenFetch]>([
    ['continues', seen('working', { job: { state: 'working', alive: true, commit, run_id } })],
    ['is of another model', seen('done', { model: '/m/other.gguf' })],
    ['is of another host', seen('done', { host: 'studio' })],
    ['was begun by another run', seen('done', { job: { state: 'done', alive: false, commit, run_id: 'fetch-4f2a1c' } })],
    ['was started by an unknown run', seen('done', { job: { state: 'done', alive: false, commit } })],
    [
      'was begun by what is a path',
      seen('done', { job: { state: 'done', alive: false, commit, run_id: `../history/${run_id}` } }),
    ],
  ])('changes nothing where it %s', async (_, one) => {
    const before = await readFile(keptPath(place(), run_id), 'utf8')
    await noteOutcomes(place(), [one])
    expect(await readFile(keptPath(place(), run_id), 'utf8')).toBe(before)
  })

  test.each<[string, unknown]>([
    ['cut off', '{"schema":"converge/kept-run/v1"'],
    ['of another verb', { ...aRun(), verb: 'apply' }],
    [
      'not what its schema says',
      { ...aRun(), document: { models: [{ host: 'nas', model: '/m/coder.gguf', state: 'fetching' }] } },
    ],
  ])('leaves a report alone that is %s', async (_, content) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    await writeFile(keptPath(place(), run_id), text)
    await noteOutcomes(place(), [seen('done')])
    expect(await readFile(keptPath(place(), run_id), 'utf8')).toBe(text)
    expect(said).toBe('')
  })

  test('needs no history', async () => {
    await rm(state, { recursive: true })
    await noteOutcomes(place(), [seen('done')])
    await writeFile(state, '')
    await noteOutcomes(place(), [seen('done')])
    expect(said).toBe('')
  })
})
