import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { deliverNotification, type Sender } from '../../src/delivery/deliver-notification.ts'
import { handOver } from '../../src/delivery/hand-over.ts'
import type { Notification } from '../../src/model/notification.ts'
import { Secret } from '../../src/model/secret.ts'
import { systemClock } from '../../src/time/clock.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'converge-notify-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const source = { file: 'all.yaml', line: 1, column: 1 }
const notification: Notification = {
  run_id: '20261101T080000Z-4f2a1c',
  verb: 'drift',
  at: '2026-11-01T08:00:00.000Z',
  inventory: 'home',
  controller: 'desk',
  test: false,
  changes: [{ change: 'gone', event: 'drift', host: 'nas', service: 'coder', field: 'state' }],
  open: 0,
}

function sender(more: Partial<Sender> = {}): Sender {
  return {
    env: { PATH: `${folder}:/usr/bin:/bin`, CODER_KEY: 'k3y-of-another' },
    cwd: folder,
    home: '/home/anna',
    clock: systemClock,
    signal: new AbortController().signal,
    open: async () => new Secret('', ''),
    redact: (text) => text.replaceAll('s3cret', '***'),
    ...more,
  }
}

async function script(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, `#!/bin/sh\n${text}\n`)
  await chmod(path, 0o755)
  return path
}

async function run(text: string, timeoutMs = 20_000, input = '') {
  const argv = [await script('notify', text)]
  const { env: _env, cwd, signal, redact } = sender()
  return handOver({ argv, input, cwd, signal, redact, env: { PATH: '/usr/bin:/bin' }, timeoutMs })
}

test('a command gets the JSON, and of the environment only PATH, HOME and the run', async () => {
  const path = await script(
    'notify',
    `cat > ${folder}/input; env | sed '/^\\(PWD\\|SHLVL\\|_\\|OLDPWD\\)=/d' | sort > ${folder}/env; echo "$@" > ${folder}/argv`,
  )
  const target = { way: { kind: 'command', argv: [path, 'a b', '$HOME'] }, on: ['drift'], source } as const
  expect(await deliverNotification(sender(), target, notification)).toEqual({ ok: true, detail: 'accepted' })
  expect(JSON.parse(await readFile(join(folder, 'input'), 'utf8'))).toMatchObject({ schema: 'converge/notification/v1' })
  const env = await readFile(join(folder, 'env'), 'utf8')
  expect(env.split('\n').map((line) => line.split('=')[0])).toEqual(['CONVERGE_RUN_ID', 'HOME', 'PATH', ''])
  expect(await readFile(join(folder, 'argv'), 'utf8')).toBe('a b $HOME\n')
})

test('a mail goes to the sendmail of the PATH', async () => {
  await script('sendmail', `echo "$@" > ${folder}/argv; cat > ${folder}/mail`)
  const target = { way: { kind: 'mail', address: 'anna@example.org' }, on: ['drift'], source } as const
  expect(await deliverNotification(sender(), target, notification)).toEqual({ ok: true, detail: 'accepted' })
  expect(await readFile(join(folder, 'argv'), 'utf8')).toBe('-t -i\n')
  expect(await readFile(join(folder, 'mail'), 'utf8')).toBe(
    'To: anna@example.org\nSubject: converge: 1 gone in home\nAuto-Submitted: auto-generated\nMIME-Version: 1.0\n' +
      'Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 7bit\n\ngone drift nas/coder state\n',
  )
})

test('its error output is reported, bounded and without secrets', async () => {
  const { detail } = await run('echo "no s3cret way\\033[2J" >&2; head -c 100000 /dev/zero | tr "\\0" x >&2; exit 3')
  expect(detail).toMatch(/^it ended with 3: no \*\*\* way\\u001b\[2J\\u000ax+… \(\d+ characters\)$/)
  expect(detail.length).toBeLessThan(500)
})

test('one that takes too long is ended with all that it started', async () => {
  const { detail } = await run(`sh -c 'sleep 2; touch ${folder}/alive' & sleep 20`, 300)
  expect(detail).toBe('it was killed after 0.3 s')
  await delay(2500)
  await expect(readFile(join(folder, 'alive'))).rejects.toThrow('ENOENT')
})

test('one that reads nothing counts as notified', async () => {
  expect(await run('exit 0', 20_000, 'x'.repeat(1_000_000))).toEqual({ ok: true, detail: 'accepted' })
})

test('one whose child keeps its stderr open is not waited for', async () => {
  const began = performance.now()
  expect(await run('sleep 10 & exit 0')).toEqual({ ok: true, detail: 'accepted' })
  expect(performance.now() - began).toBeLessThan(9000)
})

test('one that is missing, or not executable, is reported', async () => {
  const { cwd, signal, redact } = sender()
  const at = (argv: readonly string[]) => handOver({ argv, input: '', cwd, signal, redact, env: {}, timeoutMs: 5000 })
  expect(await at([join(folder, 'missing')])).toEqual({ ok: false, detail: 'it is not installed' })
  await writeFile(join(folder, 'plain'), '')
  expect(await at([join(folder, 'plain')])).toEqual({ ok: false, detail: 'it is not executable for this user' })
})
