import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { KeptRun } from '../../src/model/kept-run.ts'
import { keepRun, listKept, listRuns, readEntry, readKept } from '../../src/state/run-history.ts'

let state: string
let said: string

beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), 'converge-history-'))
  said = ''
})
afterEach(() => rm(state, { recursive: true, force: true }))

const place = (folder = state) => ({ env: { CONVERGE_STATE_DIR: folder }, cwd: '/' })

function aRun(number: number, more: Partial<KeptRun> = {}): KeptRun {
  return {
    schema: 'converge/kept-run/v1',
    run_id: `20261101T0800${String(number).padStart(3, '0')}Z-aaaaaa`,
    verb: 'plan',
    at: '2026-11-01T08:00:00.000Z',
    inventory: 'inventories/home',
    exit_code: 0,
    overview: { verb: 'plan', headline: 'nothing to change', tone: 'good', version: '1', hosts: [], issues: [] },
    document: { schema: 'converge/plan/v1' },
    ...more,
  }
}

async function history(): Promise<string> {
  const folder = join(state, 'history')
  await mkdir(folder, { recursive: true })
  return folder
}

async function keep(run: KeptRun, folder = state): Promise<void> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing but `write` is used
  const err = { writeProse: (text: string) => (said += text) } as never
  await keepRun({ ...place(folder), err }, run)
}

test('stored reports are read again, the newest first, and only by their owner', async () => {
  await keep(aRun(1))
  await keep(aRun(2))
  expect(await listKept(place())).toEqual([aRun(2).run_id, aRun(1).run_id])
  expect(await readKept(place(), aRun(1).run_id)).toEqual(aRun(1))
  expect((await stat(join(state, 'history', `${aRun(1).run_id}.json`))).mode & 0o777).toBe(0o600)
})

test('a file that was cut in the middle is an entry that says so', async () => {
  await keep(aRun(1))
  await truncate(join(state, 'history', `${aRun(1).run_id}.json`), 40)
  expect(await readKept(place(), aRun(1).run_id)).toMatchObject({ unreadable: expect.stringMatching(/JSON/) })
  await writeFile(join(state, 'history', `${aRun(2).run_id}.json`), 'null')
  expect(await readKept(place(), aRun(2).run_id)).toMatchObject({ unreadable: 'it was not written by converge' })
})

test('a run that was killed has a journal and no report, and says so', async () => {
  const begun = {
    event: 'run-begun',
    format: 1,
    run_id: aRun(3).run_id,
    verb: 'apply',
    owner: 'op',
    inventory: { path: '/home/op/inventory', digest: '' },
    selection: { services: [] },
  }
  await keep(aRun(1))
  await mkdir(join(state, 'runs'))
  await writeFile(
    join(state, 'runs', `${aRun(3).run_id}.ndjson`),
    [
      { ...begun, at: '2026-11-01T08:00:03Z' },
      { event: 'run-planned', at: '2026-11-01T08:00:04Z', plan: { hosts: [{ host: 'nas', actions: [] }] } },
    ]
      .map((entry) => `${JSON.stringify(entry)}\n`)
      .join('') + '{"ev',
  )
  expect(await listRuns(place())).toEqual([aRun(3).run_id, aRun(1).run_id])
  expect(await readEntry(place(), aRun(3).run_id)).toEqual({
    run_id: aRun(3).run_id,
    verb: 'apply',
    begun_at: '2026-11-01T08:00:03Z',
    inventory: '/home/op/inventory',
    owner: 'op',
    hosts: ['nas'],
  })
  expect(await readEntry(place(), aRun(1).run_id)).toEqual(aRun(1))
})

test('what was edited to say nothing is an entry that says so', async () => {
  await keep(aRun(1))
  const edited = { ...aRun(2), overview: null }
  await writeFile(join(state, 'history', `${aRun(2).run_id}.json`), JSON.stringify(edited))
  expect(await readKept(place(), aRun(2).run_id)).toMatchObject({ unreadable: 'it was not written by converge' })
})

test('a clock that was set back does not make a run forget itself', async () => {
  for (let day = 10; day < 30; day += 1)
    for (let hour = 10; hour < 20; hour += 1)
      await writeFile(join(await history(), `202701${day}T${hour}0000Z-aaaaaa.json`), '{}')
  await keep(aRun(1))
  const kept = await listKept(place())
  expect(kept).toHaveLength(200)
  expect(kept).toContain(aRun(1).run_id)
})

test('a report beyond the total limit is not stored, and no other is dropped for it', async () => {
  await keep(aRun(1))
  await keep(aRun(2))
  await keep(aRun(3, { document: { schema: 'converge/plan/v1', text: 'x'.repeat(64 * 1024 * 1024) } }))
  expect(said).toMatch(/not in the history: its report exceeds 64 MiB/)
  expect(await listKept(place())).toEqual([aRun(2).run_id, aRun(1).run_id])
})

test('a report that another run just deleted does not hide the others', async () => {
  await keep(aRun(1))
  await symlink('not-there', join(state, 'history', `${aRun(0).run_id}.json`))
  await keep(aRun(2))
  expect(said).toBe('')
  expect(await readKept(place(), aRun(2).run_id)).toEqual(aRun(2))
})

describe('what is no file of ours', () => {
  const id = aRun(5).run_id
  const put: Readonly<Record<string, (path: string) => unknown>> = {
    'a named pipe': (path) => execFileSync('mkfifo', [path]),
    'a folder': (path) => mkdir(path),
    'a device': (path) => symlink('/dev/zero', path),
    'a link that leads to itself': (path) => symlink(path, path),
    'a link to a foreign file': (path) => symlink('/etc/hostname', path),
    'a file larger than any report': async (path) => {
      await writeFile(path, '')
      await truncate(path, 64 * 1024 * 1024 + 1)
    },
    nothing: () => undefined,
  }
  const words: Readonly<Record<string, RegExp>> = {
    'a named pipe': /^(its journal: )?it is not a regular file but a named pipe$/,
    'a folder': /not a regular file but a folder$/,
    'a file larger than any report': /^it is larger than 64 MiB$/,
    nothing: /no such file/,
  }
  const cases = Object.entries(put).map(([what, make]) => ({
    what,
    make,
    message: words[what] ?? /not a regular file but a link$/,
  }))

  test.each(cases)('$what in the place of a report says so', async ({ make, message }) => {
    await mkdir(join(state, 'history'))
    await make(join(state, 'history', `${id}.json`))
    expect(await readKept(place(), id)).toEqual({ run_id: id, unreadable: expect.stringMatching(message) })
    await keep(aRun(6))
    expect(said).toBe('')
    expect(await readEntry(place(), aRun(6).run_id)).toEqual(aRun(6))
  })

  const journals = cases.filter(({ what }) => !what.includes('larger') && !what.includes('nothing'))
  test.each(journals)('$what in the place of a journal says so', async ({ make, message }) => {
    await mkdir(join(state, 'runs'))
    await make(join(state, 'runs', `${id}.ndjson`))
    expect(await readEntry(place(), id)).toEqual({ run_id: id, unreadable: expect.stringMatching(message) })
  })
})

test('two hundred stay', async () => {
  await keep(aRun(0))
  for (let number = 1; number < 205; number += 1)
    await writeFile(join(state, 'history', `${aRun(number).run_id}.json`), JSON.stringify(aRun(number)))
  await keep(aRun(900))
  const left = await listKept(place())
  expect(left).toHaveLength(200)
  expect(left[0]).toBe(aRun(900).run_id)
  expect(left).not.toContain(aRun(0).run_id)
})

test('large ones go sooner', async () => {
  await keep(aRun(1, { document: 'x'.repeat(40 * 1024 * 1024) }))
  await keep(aRun(2, { document: 'x'.repeat(40 * 1024 * 1024) }))
  expect(await listKept(place())).toEqual([aRun(2).run_id])
})

test('a run whose report cannot be stored reports that, and continues', async () => {
  await keep(aRun(1), '/dev/null/state')
  expect(said).toContain('This run is not in the history: /dev/null/state')
  expect(existsSync('/dev/null/state')).toBe(false)
  expect(await readdir(state)).toEqual([])
})
