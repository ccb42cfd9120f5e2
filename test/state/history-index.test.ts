import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { array, assert, asyncProperty, constantFrom } from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import * as files from '../../src/load/read-regular-file.ts'
import type { KeptRun } from '../../src/model/kept-run.ts'
import { readHistory } from '../../src/state/read-history.ts'
import { keepRun } from '../../src/state/run-history.ts'

let state: string

beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), 'converge-index-'))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(state, { recursive: true, force: true })
})

const place = () => ({ env: { CONVERGE_STATE_DIR: state }, cwd: '/' })
const path = (name: string) => join(state, 'history', name)
const index = () => path('index.ndjson')
const idOf = (number: number) => `20261101T0800${String(number).padStart(3, '0')}Z-aaaaaa`

function aRun(number: number, headline = `run ${number}`): KeptRun {
  return {
    schema: 'converge/kept-run/v1',
    run_id: idOf(number),
    verb: 'plan',
    at: '2026-11-01T08:00:00.000Z',
    inventory: 'inventories/home',
    exit_code: 0,
    overview: {
      verb: 'plan',
      headline,
      tone: 'good',
      version: '1',
      hosts: [{ host: 'nas', tone: 'good', reachable: true, services: [] }],
      issues: [],
    },
    document: { schema: 'converge/plan/v1' },
  }
}

async function keep(run: KeptRun): Promise<void> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing but `writeProse` is used
  await keepRun({ ...place(), err: { writeProse: () => undefined } as never }, run)
}

const headlines = async (last = 100) =>
  (await readHistory(place(), last)).map((row) => ('headline' in row ? row.headline : 'unreadable' in row ? 'unreadable' : '-'))

/** What a history without an index says. */
async function rebuilt(): Promise<readonly string[]> {
  await rm(index(), { recursive: true, force: true })
  return headlines()
}

/** The reports that are read; the index itself is no report. */
async function reportsRead(read: () => Promise<unknown>): Promise<number> {
  const spy = vi.spyOn(files, 'readOwnFile')
  await read()
  return spy.mock.calls.filter(([file]) => file.endsWith('.json')).length
}

test('a list reads no report of which the index has a line', async () => {
  for (const number of [1, 2, 3]) await keep(aRun(number))
  let found: readonly string[] = []
  expect(await reportsRead(async () => (found = await headlines()))).toBe(0)
  expect(found).toEqual(['run 3', 'run 2', 'run 1'])
})

test('without an index the reports are read, once', async () => {
  for (const number of [1, 2]) await keep(aRun(number))
  await rm(index())
  expect(await reportsRead(() => headlines())).toBe(2)
  vi.restoreAllMocks()
  expect(await reportsRead(() => headlines())).toBe(0)
})

test('an edited report is read again, also if its size and its time of writing are as before', async () => {
  await keep(aRun(1, 'first'))
  const text = await readFile(path(`${idOf(1)}.json`), 'utf8')
  const then = new Date(1_790_000_000_000)
  await utimes(path(`${idOf(1)}.json`), then, then)
  expect(await headlines()).toEqual(['first'])
  await writeFile(path(`${idOf(1)}.json`), text.replace('first', 'other'))
  await utimes(path(`${idOf(1)}.json`), then, then)
  expect(await headlines()).toEqual(['other'])
})

test('a report that is gone is not listed, and its line leaves the index in time', async () => {
  await keep(aRun(1))
  await keep(aRun(2))
  await rm(path(`${idOf(1)}.json`))
  expect(await headlines()).toEqual(['run 2'])
  const [line = ''] = (await readFile(index(), 'utf8')).split('\n').filter((one) => one.includes(idOf(1)))
  await appendFile(index(), `${line}\n`.repeat(300))
  expect(await headlines()).toEqual(['run 2'])
  expect((await readFile(index(), 'utf8')).trim().split('\n')).toHaveLength(1)
})

test('an index that is a link is neither read nor written', async () => {
  await mkdir(path(''), { recursive: true })
  await writeFile(join(state, 'elsewhere'), '')
  await symlink(join(state, 'elsewhere'), index())
  await keep(aRun(1))
  expect(await headlines()).toEqual(['run 1'])
  expect(await readFile(join(state, 'elsewhere'), 'utf8')).toBe('')
})

test('runs that end at once leave a whole line each', async () => {
  await Promise.all(Array.from({ length: 40 }, (_, number) => keep(aRun(number))))
  expect(await reportsRead(() => headlines())).toBe(0)
})

const damages: Readonly<Record<string, () => Promise<unknown>>> = {
  'a line cut off': () => appendFile(index(), '\n{"size":12,"written":1,"line":{"run_id":"2026'),
  'no JSON': () => appendFile(index(), 'x\u0000\n[]\nnull\n{}\n'),
  'a line of another shape': () =>
    appendFile(index(), `\n${JSON.stringify({ size: 1, written: 1, changed: 1, line: { run_id: idOf(1), hosts: [1] } })}\n`),
  'a line of an older file': () =>
    appendFile(
      index(),
      `\n${JSON.stringify({ size: 1, written: 1, changed: 1, line: { ...aRun(1), hosts: [], headline: 'wrong' } })}\n`,
    ),
  'the index is a folder': async () => {
    await rm(index(), { force: true, recursive: true })
    await mkdir(index())
  },
  'a report gone': () => rm(path(`${idOf(2)}.json`), { force: true }),
  'a report cut off': () => writeFile(path(`${idOf(1)}.json`), '{"schema":'),
  'a report again': () => keep(aRun(1, 'again')),
  'one more': () => keep(aRun(4)),
  listed: () => headlines(2),
}

test('whatever happened to it, the index says what the reports say', async () => {
  await assert(
    asyncProperty(array(constantFrom(...Object.keys(damages)), { maxLength: 8 }), async (happened) => {
      await rm(state, { recursive: true, force: true })
      for (const number of [1, 2, 3]) await keep(aRun(number))
      // What is a folder by now cannot be appended to.
      for (const name of happened) await damages[name]?.().catch(() => undefined)
      const found = await headlines()
      expect(found).toEqual(await rebuilt())
      expect((await readdir(path(''))).filter((name) => name.endsWith('.json'))).toHaveLength(found.length)
    }),
    { numRuns: 60 },
  )
})
