import { execFile } from 'node:child_process'
import { lstat, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { installAgent, removeAgent } from '../../src/run/schedule/launch-agent.ts'
import { installTimer, removeTimer } from '../../src/run/schedule/systemd-timer.ts'
import { installInCrontab, removeFromCrontab } from '../../src/run/schedule/user-crontab.ts'
import { schedulers } from '../../src/schedulers/index.ts'
import type { Account, Entry, ScheduleName } from '../../src/schedulers/job.ts'
import { runScript } from '../../src/schedulers/run-script.ts'
import { jobWith } from './job-with.ts'

let root: string
let account: Account
const platform = process.platform

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'schedule-'))
  account = { uid: 1000, home: root, configHome: join(root, 'config') }
  await mkdir(join(root, 'bin'))
  vi.stubEnv('PATH', `${join(root, 'bin')}:/usr/bin:/bin`)
  vi.stubEnv('ROOT', root)
})

afterEach(async () => {
  vi.unstubAllEnvs()
  Object.defineProperty(process, 'platform', { value: platform })
  await rm(root, { recursive: true, force: true })
})

/** What stands for a program of the system; it writes down how it was called. */
async function program(name: string, script: string): Promise<void> {
  const text = `#!/bin/sh\necho "$*" >>"$ROOT/calls"\n${script}\n`
  await writeFile(join(root, 'bin', name), text, { mode: 0o755 })
}

const at = (name: string) => join(root, name)
const read = (name: string) => readFile(at(name), 'latin1')
const calls = async () => (await read('calls')).trim().split('\n')
const entry = (scheduler: ScheduleName, everyS = 3600): Entry =>
  schedulers[scheduler].entry(jobWith({ folder: at('state/drift'), everyS }), account)
const paths = (scheduler: ScheduleName) => schedulers[scheduler].files('drift', at('state/drift'), account)
const isThere = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  )

describe('the crontab', () => {
  const real =
    'case $1 in -l) cat "$ROOT/tab" 2>/dev/null || { echo "no crontab for op" >&2; exit 1; } ;; -) cat >"$ROOT/tab" ;; esac'
  const before = 'MAILTO=op\n# h\xe4 \xff bytes that are no UTF-8\n*/5 * * * * date +\\%s\n'

  it('is created if it is missing, and stays the same when it is installed again', async () => {
    await program('crontab', real)
    await installInCrontab(entry('cron'))
    const first = await read('tab')
    expect(first).toBe(entry('cron').crontab)
    expect((await lstat(at('state/drift/run'))).mode & 0o777).toBe(0o700)
    await installInCrontab(entry('cron'))
    expect(await read('tab')).toBe(first)
    expect(await calls()).toEqual(['-l', '-', '-l', '-l'])
  })

  it('keeps what else is in it, to the byte, and is as before when the entry is gone', async () => {
    await program('crontab', real)
    await writeFile(at('tab'), Buffer.from(before, 'latin1'))
    await installInCrontab(entry('cron'))
    expect(await read('tab')).toBe(before + entry('cron').crontab)
    await installInCrontab(entry('cron', 1800))
    expect(await read('tab')).toBe(before + entry('cron', 1800).crontab)
    expect(await removeFromCrontab('drift', paths('cron'))).toEqual(['the block `drift` of the crontab', at('state/drift/run')])
    expect(await read('tab')).toBe(before)
    expect(await removeFromCrontab('drift', paths('cron'))).toEqual([])
  })

  it('of BusyBox that has no file yet is an empty one', async () => {
    await program(
      'crontab',
      `case $1 in -l) cat "$ROOT/tab" 2>/dev/null || { echo "crontab: can't open 'op': No such file or directory" >&2; exit 1; } ;; -) cat >"$ROOT/tab" ;; esac`,
    )
    await installInCrontab(entry('cron'))
    expect(await read('tab')).toBe(entry('cron').crontab)
  })

  it.each([
    ["crontab: can't open 'op': Permission denied", 1],
    ['You (op) are not allowed to use this program (crontab)', 1],
    ['', 137],
  ])('that cannot be read (%j) is not written, nor is anything else', async (words, code) => {
    await program('crontab', `echo "${words}" >&2; exit ${code}`)
    await expect(installInCrontab(entry('cron'))).rejects.toThrow(/SCHEDULE.FAILED/)
    await expect(removeFromCrontab('drift', paths('cron'))).rejects.toThrow(/SCHEDULE.FAILED/)
    expect(new Set(await calls())).toEqual(new Set(['-l']))
    expect(await isThere(at('state/drift/run'))).toBe(false)
  })

  it('that is not taken leaves no script', async () => {
    await program('crontab', 'case $1 in -l) ;; -) echo "bad minute" >&2; exit 1 ;; esac')
    await expect(installInCrontab(entry('cron'))).rejects.toThrow(/bad minute/)
    expect(await isThere(at('state/drift/run'))).toBe(false)
  })

  it('that reports success without effect is reported', async () => {
    await program('crontab', 'exit 0')
    await expect(installInCrontab(entry('cron'))).rejects.toThrow(/shows another crontab/)
  })

  it('and its missing program is reported', async () => {
    vi.stubEnv('PATH', at('bin'))
    await expect(installInCrontab(entry('cron'))).rejects.toThrow(/`crontab` is not installed/)
  })
})

describe('a foreign file', () => {
  it.each(['of another name', 'a link'])('is neither overwritten nor deleted: %s', async (what) => {
    await program('systemctl', 'exit 0')
    const [path = ''] = paths('systemd')
    await mkdir(dirname(path), { recursive: true })
    if (what === 'a link') await symlink('/etc/hosts', path)
    else await writeFile(path, '# converge: schedule drift-2\n')
    const old = await readFile(path, 'utf8')
    await expect(installTimer(entry('systemd'), account)).rejects.toThrow(/SCHEDULE.FOREIGN/)
    await expect(removeTimer('drift', paths('systemd'), account)).rejects.toThrow(/SCHEDULE.FOREIGN/)
    expect(await readFile(path, 'utf8')).toBe(old)
    expect(await isThere(at('calls'))).toBe(false)
  })
})

describe('a timer', () => {
  it('is read, enabled and started, and lingering is reported', async () => {
    await program('systemctl', 'exit 0')
    await program('loginctl', 'echo Linger=no')
    expect(await installTimer(entry('systemd'), account)).toEqual([expect.stringContaining('loginctl enable-linger')])
    const timer = 'converge-schedule-drift.timer'
    const linger = 'show-user 1000 --property=Linger'
    const scoped = ['--user daemon-reload', `--user enable --now ${timer}`, `--user restart ${timer}`, linger]
    expect(await calls()).toEqual(scoped)
    for (const { path, content } of entry('systemd').files) expect(await readFile(path, 'utf8')).toBe(content)
    expect(await removeTimer('drift', paths('systemd'), account)).toEqual(paths('systemd'))
    expect((await calls()).slice(4)).toEqual([`--user disable --now ${timer}`, '--user daemon-reload'])
    expect(await removeTimer('drift', paths('systemd'), account)).toEqual([])
  })

  it.each([
    ['echo Linger=yes', []],
    ['echo "User ID 1000 is not logged in or lingering" >&2; exit 1', [expect.stringContaining('is unknown')]],
  ])('says about lingering what is known: %s', async (script, notes) => {
    await program('systemctl', 'exit 0')
    await program('loginctl', script)
    expect(await installTimer(entry('systemd'), account)).toEqual(notes)
  })

  it('that is not taken leaves everything as it was', async () => {
    await program('systemctl', 'case "$*" in *enable*) echo "Failed to connect to bus: No medium found" >&2; exit 1 ;; esac')
    await expect(installTimer(entry('systemd'), account)).rejects.toMatchObject({
      code: 'SCHEDULE.FAILED',
      next: expect.arrayContaining([expect.objectContaining({ command: expect.stringContaining('XDG_RUNTIME_DIR') })]),
    })
    for (const path of paths('systemd')) expect(await isThere(path)).toBe(false)
    const [service = ''] = paths('systemd')
    await writeFile(service, '# converge: schedule drift\nold\n')
    await expect(installTimer(entry('systemd'), account)).rejects.toThrow(/SCHEDULE.FAILED/)
    expect(await readFile(service, 'utf8')).toBe('# converge: schedule drift\nold\n')
  })
})

describe('an agent', () => {
  const job = 'gui/1000/converge.schedule.drift'

  it('makes way for what the file says now, also while launchd lets the old one go', async () => {
    Object.defineProperty(process, 'platform', { value: 'darwin' })
    await program(
      'launchctl',
      'case $1 in bootstrap) [ -e "$ROOT/asked" ] || { touch "$ROOT/asked"; echo "Bootstrap failed: 5: Input/output error" >&2; exit 5; } ;; esac',
    )
    await installAgent(entry('launchd'), account)
    const plist = at('Library/LaunchAgents/converge.schedule.drift.plist')
    expect(await calls()).toEqual([
      `bootout ${job}`,
      `enable ${job}`,
      `bootstrap gui/1000 ${plist}`,
      `bootstrap gui/1000 ${plist}`,
    ])
    expect(await removeAgent('drift', paths('launchd'), account)).toEqual([at('state/drift/run'), plist])
    expect(await removeAgent('drift', paths('launchd'), account)).toEqual([])
  })

  it('that is not taken leaves no file', async () => {
    Object.defineProperty(process, 'platform', { value: 'darwin' })
    await program(
      'launchctl',
      'case $1 in bootout | print) exit 113 ;; bootstrap) echo "Bootstrap failed: 125" >&2; exit 125 ;; esac',
    )
    await expect(installAgent(entry('launchd'), account)).rejects.toThrow(/Bootstrap failed: 125/)
    for (const path of paths('launchd')) expect(await isThere(path)).toBe(false)
  })

  it('is refused where there is no launchd', async () => {
    Object.defineProperty(process, 'platform', { value: 'linux' })
    await expect(installAgent(entry('launchd'), account)).rejects.toThrow(/USAGE.SCHEDULE/)
    expect(await isThere(at('calls'))).toBe(false)
  })
})

describe('a run that changes hosts', () => {
  it.each([
    ['is skipped when its time has passed', 3 * 3600, false],
    ['is done at its time', 60, true],
    ['is done a moment early', -60, true],
  ])('%s', async (_, agoS, isDone) => {
    const now = new Date()
    const atS = (now.getHours() * 3600 + now.getMinutes() * 60 - agoS + 86_400) % 86_400
    await program('converge', 'true')
    const job = { folder: at('state/use'), cwd: root, verb: 'use', atS, jitterS: 0, program: [at('bin/converge')] }
    await writeFile(at('run'), runScript(jobWith(job)))
    await promisify(execFile)('/bin/sh', [at('run')], { env: { ...process.env, ROOT: root } })
    expect(await isThere(at('calls'))).toBe(isDone)
    expect(await read('state/use/log')).toContain(isDone ? 'ended with 0' : 'skipped: its time was')
  })
})
