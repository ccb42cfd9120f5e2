import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { array, assert, asyncProperty, constantFrom, jsonValue, oneof, tuple } from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { ConvergeError } from '../../src/errors/converge-error.ts'
import type { KeptRun } from '../../src/model/kept-run.ts'
import { type ReportName, reports } from '../../src/report/index.ts'
import { keptResult } from '../../src/report/kept-result.ts'
import { overviewOfDrift } from '../../src/report/overview-of-drift.ts'
import { overviewOfPlan } from '../../src/report/overview-of-plan.ts'
import { overviewOfRun } from '../../src/report/overview-of-run.ts'
import { noPaint } from '../../src/report/paint.ts'
import { safeOverview } from '../../src/report/safe-overview.ts'
import { checkKept, renderKept } from '../../src/state/kept-report.ts'
import { change, isObject, type Json, readJson } from '../schemas/documents.ts'
import { convergeHere, type Outcome } from '../support/converge-here.ts'

const root = join(import.meta.dirname, '../..')
const around = { version: '1.2.3', issues: [], whereabouts: () => ({ file: 'hosts.yaml', line: 7, column: 3 }) }
const overviews: Readonly<Record<string, (document: never) => KeptRun['overview']>> = {
  plan: (document) => overviewOfPlan(document, around),
  report: (document) => overviewOfRun(document, around),
  drift: (document) => overviewOfDrift(document, around),
}

/** As a verb leaves it: `plan-full`, `report-apply`, … */
function kept(name: string): Json {
  const document = readJson(`test/fixtures/report/${name}.json`)
  const overview = overviews[name.split('-')[0] ?? '']?.(document as never)
  const about = {
    run_id: '20261101T080000Z-aaaaaa',
    verb: 'apply',
    at: '2026-11-01T08:00:00.000Z',
    inventory: 'home',
    exit_code: 0,
  }
  return JSON.parse(JSON.stringify({ schema: 'converge/kept-run/v1', ...about, overview, document }))
}

const names = ['plan-full', 'plan-empty', 'report-apply', 'report-verify', 'drift']

/** In every format; throws as `converge report` does. */
async function render(run: Json): Promise<void> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is what is looked at
  const one = run as unknown as KeptRun
  await checkKept(one, 'FILE')
  await renderKept('FILE', async () => {
    keptResult(one).text(noPaint)
    const overview = safeOverview(one.overview, (text) => text)
    for (const name of Object.keys(reports)) (await reports[name as ReportName]())(overview)
  })
}

test.each(names)('a stored %s is rendered again', async (name) => {
  await expect(render(kept(name))).resolves.toBeUndefined()
})

interface Edit {
  readonly of: string
  readonly at: string
  readonly put?: Json
  readonly says: string
}

const edits: readonly Edit[] = parse(await readFile(join(root, 'test/fixtures/cli/edited-reports.yaml'), 'utf8'))

test.each(edits)('$of: $at $put', async ({ of, at, put, says }) => {
  await expect(render(change(kept(of), at, put))).rejects.toMatchObject({
    code: 'HISTORY.INVALID',
    why: expect.stringContaining(`FILE: ${says}`),
  })
})

test('a document that passes its schema and cannot be rendered is reported as invalid', async () => {
  const deep: Json = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
  await expect(render(change(kept('drift'), '/document', deep))).rejects.toMatchObject({
    code: 'HISTORY.INVALID',
    why: expect.stringContaining('FILE: it matches its schema but cannot be rendered: '),
  })
})

test('a document of an unknown kind is shown unchanged', async () => {
  for (const kind of ['converge/plan/v9', '__proto__', 'constructor'])
    await expect(render(change(kept('drift'), '/document/schema', kind))).resolves.toBeUndefined()
})

test('what a later version has more of does not matter', async () => {
  const later = change(change(kept('report-apply'), '/document/hosts/0/colour', 'red'), '/overview/mood', 'good')
  await expect(render(later)).resolves.toBeUndefined()
})

/** JSON pointers of everything in it. */
function pointers(value: Json, path = ''): readonly string[] {
  const inside = Array.isArray(value)
    ? value.map((one: Json, at) => [`${at}`, one] as const)
    : isObject(value)
      ? Object.entries(value)
      : []
  return inside.flatMap(([key, one]) => {
    const at = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    return [at, ...pointers(one, at)]
  })
}

describe('however it is edited', () => {
  const odd = [
    null,
    '',
    'x'.repeat(300),
    -1,
    1e308,
    0.5,
    true,
    [],
    {},
    [null],
    '2026-12-31T23:59:60Z',
    '\u0000\u202e',
    'constructor',
  ]
  test.each(names)('a %s is rendered, or reported as invalid', async (name) => {
    const run = kept(name)
    const places = constantFrom(...pointers(run).filter((at) => at !== '/schema'))
    const edit = tuple(places, oneof(constantFrom(...odd), jsonValue({ maxDepth: 2 })))
    await assert(
      asyncProperty(array(edit, { minLength: 1, maxLength: 3 }), async (all) => {
        const edited = all.reduce((value, [at, put]) => change(value, at, put as Json), run)
        const outcome = await render(edited).then(
          () => 'rendered',
          (error: unknown) => (error instanceof ConvergeError ? error.code : error),
        )
        expect(['rendered', 'HISTORY.INVALID']).toContain(outcome)
      }),
      { numRuns: 300 },
    )
  })
})

describe('`converge report`', () => {
  let state: string
  beforeEach(async () => {
    state = await mkdtemp(join(tmpdir(), 'converge-kept-'))
    await mkdir(join(state, 'history'))
  })
  afterEach(() => rm(state, { recursive: true }))

  function converge(...args: readonly string[]): Promise<Outcome> {
    const env = { PATH: process.env['PATH'], HOME: '/nonexistent', CONVERGE_STATE_DIR: state, NO_COLOR: '1' }
    return convergeHere(args, { env, cwd: root })
  }

  test.each([
    ['edited', change(kept('report-apply'), '/document/hosts', 'none'), '/document/hosts must be array'],
    ['of another shape', { schema: 'converge/kept-run/v1', overview: {} }, 'it was not written by converge'],
  ])('reports one that is %s as invalid, and what to do', async (_what, run, says) => {
    const path = join(state, 'history', '20261101T080000Z-aaaaaa.json')
    await writeFile(path, JSON.stringify(run))
    const { code, stderr } = await converge('report')
    expect(stderr).toContain('HISTORY.INVALID  The file is not a converge report.')
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(`${path}: ${says}`)
    expect(stderr).toContain('or delete it')
    expect(code).toBe(65)
    expect((await converge('history')).code).toBe(0)
  })
})
