import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { isRunProvedDead } from '../../src/state/dead-run.ts'
import { thisProcess } from '../../src/state/process-identity.ts'

const run = { run_id: '20261123T080000Z-0a1b2c', owner: 'op', controller: 'laptop', pid: process.pid }

const folder = await mkdtemp(join(tmpdir(), 'converge-dead-'))
afterAll(() => rm(folder, { recursive: true }))

/** A state folder with the journal of a run of this process, but for what a case changes of it. */
async function placeWith(change: object = {}) {
  const state = await mkdtemp(join(folder, 'state-'))
  await mkdir(join(state, 'runs'), { mode: 0o700 })
  const begun = {
    ...run,
    event: 'run-begun',
    at: '2026-11-23T08:00:00Z',
    format: 1,
    inventory: { path: '/srv/fleet', digest: '' },
    selection: { services: [] },
    process: { ...(await thisProcess()), start: '1' },
    ...change,
  }
  await writeFile(join(state, 'runs', `${run.run_id}.ndjson`), `${JSON.stringify(begun)}\n`)
  return { env: { CONVERGE_STATE_DIR: state }, cwd: '/' }
}

/** The owner's line of a lock on a host. */
function holder(change: object = {}): string {
  return JSON.stringify({ runId: run.run_id, owner: 'op', controller: 'laptop', pid: process.pid, token: 't', ...change })
}

test('a run of this machine whose process is gone is dead', async () => {
  expect(await isRunProvedDead(await placeWith(), holder())).toBe(true)
})

test('one whose process exists is not', async () => {
  expect(await isRunProvedDead(await placeWith({ process: await thisProcess() }), holder())).toBe(false)
})

test.each([
  ['whose journal is not here', holder({ runId: '20261123T080000Z-ffffff' })],
  ['that names a file of its own choice', holder({ runId: '../history/20261123T080000Z-0a1b2c' })],
  ['of another person', holder({ owner: 'eve' })],
  ['of a machine of another name', holder({ controller: 'desktop' })],
  ['of another pid', holder({ pid: 1 })],
  ['that says nothing', ''],
  ['that is no JSON', 'op@laptop'],
])('of one %s nothing is proved', async (_which, line) => {
  expect(await isRunProvedDead(await placeWith(), line)).toBe(false)
})

test.each([
  ['an older version, which did not record its process', { process: undefined }],
  ['another start of the machine', { process: { pid: process.pid, start: '1', boot: 'x', machine: 'y', namespace: 'z' } }],
  ['something else', { process: 'gone' }],
])('of a journal of %s nothing is proved', async (_which, change) => {
  expect(await isRunProvedDead(await placeWith(change), holder())).toBe(false)
})
