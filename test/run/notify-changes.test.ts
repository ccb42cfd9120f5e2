import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Context } from '../../src/context/context.ts'
import { createRedactor } from '../../src/lib/redactor.ts'
import type { Fleet, NotifyTarget } from '../../src/model/fleet.ts'
import { notifyChanges } from '../../src/run/notify-changes.ts'
import type { OpenFleet } from '../../src/run/open-fleet.ts'
import { systemClock } from '../../src/time/clock.ts'
import { type AlertRun, fleetOf, overviewOf } from '../notify/alert-case.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

let folder: string
let said: string
let hook: Receiver
let now: Date

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'converge-sent-'))
  said = ''
  now = new Date('2026-11-01T08:00:00Z')
  hook = await startReceiver()
})
afterEach(async () => {
  await hook[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const source = { file: 'all.yaml', line: 3, column: 5 }
const webhook: NotifyTarget = {
  way: { kind: 'webhook', url: { env: 'HOOK' }, format: 'generic', insecure: false },
  on: ['drift', 'gone'],
  source,
}

function contextOf(env: Readonly<Record<string, string>> = {}, signal = new AbortController().signal): Context {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rest is not touched
  return {
    env: { CONVERGE_STATE_DIR: join(folder, 'state'), HOOK: hook.url, PATH: process.env['PATH'], ...env },
    cwd: folder,
    home: folder,
    err: { writeProse: (text: string) => (said += text) },
    stdin: process.stdin,
    redactor: createRedactor((secret) => secret.reveal()),
    signal,
    now: () => now,
    clock: systemClock,
    random: () => 'aaaaaa',
  } as unknown as Context
}

function run(one: AlertRun, context = contextOf(), notify: readonly NotifyTarget[] = [webhook]) {
  const fleet: Fleet = { ...fleetOf(one), path: folder, notify }
  const open: OpenFleet = { fleet, hosts: fleet.hosts, selects: () => true, everyService: true, warnings: [] }
  return notifyChanges(context, { open, verb: one.verb, run_id: 'R', overview: overviewOf(one), quiet: true })
}

const drifted: AlertRun = { verb: 'drift', hosts: { nas: { coder: ['drift threads=4'] } } }
const calm: AlertRun = { verb: 'drift', hosts: { nas: {} } }

async function stateFile(): Promise<string> {
  const [name = ''] = await readdir(join(folder, 'state/sent-alerts'))
  return join(folder, 'state/sent-alerts', name)
}

describe('a sent alert', () => {
  test('is kept for its owner only, without the address, and dropped when it is resolved', async () => {
    await run(drifted)
    const path = await stateFile()
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readFile(path, 'utf8')).not.toMatch(/T0KEN|127\.0\.0\.1/)
    expect(await run(drifted)).toEqual({ results: [], issues: [] })
    expect(hook.received).toHaveLength(1)
    await run(calm)
    expect(hook.received).toHaveLength(2)
    expect(JSON.parse(await readFile(path, 'utf8')).sent).toEqual([])
    expect(said).toBe('')
  })

  test.each([
    ['cut in the middle', (path: string) => truncate(path, 40)],
    ['something else', (path: string) => writeFile(path, 'null')],
    ['a folder', (path: string) => rm(path).then(() => mkdir(path))],
  ])('is sent again if its file is %s, and that is reported', async (_, damage) => {
    await run(drifted)
    await damage(await stateFile())
    await run(drifted)
    expect(hook.received).toHaveLength(2)
    expect(said).toContain('The notification state of generic webhook ($HOOK) cannot be read')
  })

  test('is sent again once if the clock went backwards, and a resolved one is not lost', async () => {
    await run({ verb: 'drift', hosts: { nas: { coder: ['drift threads=4'], writer: ['drift threads=4'] } } })
    now = new Date('2026-10-31T08:00:00Z')
    await run(drifted)
    await run(drifted)
    expect(hook.received).toHaveLength(2)
    const { summary } = JSON.parse(hook.received[1]?.body ?? '')
    expect(summary).toEqual({ new: 0, changed: 1, gone: 1, open: 1 })
    expect(said).toContain('which is in the future by the clock of this machine')
  })

  test('is put right where it was damaged, so that this is said once', async () => {
    await run(drifted)
    await run(calm)
    await truncate(await stateFile(), 40)
    await run(calm)
    await run(calm)
    expect(said.match(/are sent again/g)).toHaveLength(1)
    expect(hook.received).toHaveLength(2)
  })

  test('is dropped for the targets that were unused for the longest time, beyond five hundred', async () => {
    await run(drifted)
    const others = Array.from({ length: 520 }, (_, number) =>
      join(folder, 'state/sent-alerts', `other-${String(number).padStart(3, '0')}.json`),
    )
    for (const [index, path] of others.entries()) {
      await writeFile(path, '{}')
      await utimes(path, index, index)
    }
    await run(drifted)
    const left = await readdir(join(folder, 'state/sent-alerts'))
    expect(left).toHaveLength(500)
    expect(left).not.toContain('other-020.json')
    expect(left).toContain('other-021.json')
    expect(hook.received).toHaveLength(1)
  })

  test('is sent if its state cannot be written, and that is reported', async () => {
    const context = contextOf({ CONVERGE_STATE_DIR: '/dev/null/state' })
    await run(drifted, context)
    await run(drifted, context)
    expect(hook.received).toHaveLength(2)
    expect(said).toContain('so the next run sends it again')
  })

  test('is sent once by two simultaneous runs', async () => {
    await Promise.all([run(drifted), run(drifted), run(drifted)])
    expect(hook.received).toHaveLength(1)
  })
})

describe('an alert that could not be sent', () => {
  test('is sent by the next run, is in the report, and names no address', async () => {
    hook.answer({ status: 403 }, { status: 200 })
    const { results, issues } = await run(drifted)
    expect(results).toMatchObject([{ target: 'generic webhook ($HOOK)', outcome: 'failed', new: 1, detail: 'it answered 403' }])
    expect(issues).toMatchObject([{ code: 'NOTIFY.FAILED', severity: 'warning', at: source }])
    expect(said).toBe('\nNotification to generic webhook ($HOOK) failed (1 new): it answered 403. The next run tries again.\n')
    expect((await run(drifted)).results).toMatchObject([{ outcome: 'sent' }])
    expect(hook.received).toHaveLength(2)
  })

  test('because its URL is missing is sent by the next run that has it', async () => {
    const { results } = await run(drifted, contextOf({ HOOK: '' }))
    expect(results).toMatchObject([{ outcome: 'failed', detail: expect.stringContaining('environment variable HOOK') }])
    await run(drifted)
    expect(hook.received).toHaveLength(1)
  })

  test('does not affect other targets, and each gets what it asked for', async () => {
    const path = join(folder, 'notify')
    await writeFile(path, `#!/bin/sh\ncat > ${folder}/sent.json\n`)
    await chmod(path, 0o755)
    const failing: NotifyTarget = { way: { kind: 'command', argv: ['/nonexistent/notify'] }, on: ['drift'], source }
    const pending: NotifyTarget = { way: { kind: 'command', argv: [path] }, on: ['pending'], source }
    const targets = [failing, webhook, pending, webhook]
    const { results } = await run(
      { verb: 'drift', hosts: { nas: { coder: ['drift a=1', 'pending b=1'] } } },
      contextOf(),
      targets,
    )
    expect(results.map(({ outcome, new: count }) => `${outcome} ${count}`)).toEqual(['failed 1', 'sent 1', 'sent 1', 'sent 1'])
    expect(JSON.parse(await readFile(join(folder, 'sent.json'), 'utf8')).findings).toMatchObject([{ event: 'pending' }])
    expect(hook.received).toHaveLength(2)
  })
})

test('an interrupted run sends nothing, and drops nothing', async () => {
  await run(drifted)
  expect(await run(calm, contextOf({}, AbortSignal.abort()))).toEqual({ results: [], issues: [] })
  expect(hook.received).toHaveLength(1)
  await run(drifted)
  expect(hook.received).toHaveLength(1)
})
