import { chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { execa } from 'execa'
import { afterEach, describe, expect, it } from 'vitest'
import { type LinuxBox, startLinuxBox } from '../../simulation/linux/box.ts'
import { assignment, commandLine, environmentFileLine } from '../../src/managers/systemd/unit-text.ts'
import { Secret } from '../../src/model/secret.ts'
import { oddWords } from '../lab/odd-words.ts'
import type { Ended } from './mac-site.ts'

// Ten seconds of its systemd are a quarter of a second here.
const pace = 40
const unit = 'model.service'
const unitPath = `/etc/systemd/system/${unit}`

let box: LinuxBox

afterEach(async () => {
  await box[Symbol.asyncDispose]()
})

/** As the box's root. */
const systemctl = (...words: readonly string[]) => run('sudo', 'systemctl', ...words)

async function run(...words: readonly string[]): Promise<Pick<Ended, 'code' | 'stdout'> & { readonly stderr: string }> {
  const [tool = '', ...rest] = words
  const env = { ...box.environment }
  const { exitCode, stdout, stderr } = await execa(tool, rest, { env, extendEnv: false, reject: false, preferLocal: false })
  const outside = (text: string) => text.replaceAll(box.path('/'), '/')
  return { code: exitCode, stdout: outside(stdout), stderr: outside(stderr) }
}

/** A box with one unit, which systemd has read. */
async function aBox(service: readonly string[], wantedBy = 'multi-user.target'): Promise<void> {
  box = await startLinuxBox({ pace })
  await writeUnit(service, wantedBy)
  await systemctl('daemon-reload')
}

async function writeUnit(service: readonly string[], wantedBy = 'multi-user.target'): Promise<void> {
  const install = wantedBy === '' ? [] : ['[Install]', `WantedBy=${wantedBy}`]
  const lines = ['[Unit]', 'Description=A model', 'StartLimitIntervalSec=36000', '[Service]', 'Type=exec', ...service, ...install]
  await writeFile(box.path(unitPath), `${lines.join('\n')}\n`)
}

/** A program of the box that runs these lines. */
async function writeScript(path: string, lines: string): Promise<void> {
  await writeFile(box.path(path), `#!/bin/sh\n${lines}\n`)
  await chmod(box.path(path), 0o755)
}

const sleeps = ['ExecStart=/bin/sh -c "echo hello; sleep 60"']

async function show(): Promise<Readonly<Record<string, string>>> {
  const { stdout } = await systemctl('show', unit)
  return Object.fromEntries(
    stdout.split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
}

/** Once it is as said. */
async function unitThat(matches: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>> {
  await expect.poll(show, { interval: 40 }).toMatchObject(matches)
  return show()
}

describe('a unit that systemd does not know', () => {
  it('is distinguished from others by exit statuses and output', async () => {
    box = await startLinuxBox({ pace })
    expect(await systemctl('start', 'none')).toMatchObject({
      code: 5,
      stderr: 'Failed to start none.service: Unit none.service not found.',
    })
    expect(await systemctl('stop', 'none')).toMatchObject({
      code: 5,
      stderr: 'Failed to stop none.service: Unit none.service not loaded.',
    })
    expect(await systemctl('enable', 'none')).toMatchObject({ code: 1 })
    expect(await systemctl('reset-failed', 'none')).toMatchObject({ code: 1 })
    expect(await systemctl('is-active', 'none')).toMatchObject({ code: 3, stdout: 'inactive' })
    expect(await systemctl('is-enabled', 'none')).toMatchObject({ code: 1, stdout: '' })
    expect(await systemctl('show', '-p', 'LoadState,ActiveState', '-p', 'UnitFileState', 'none')).toMatchObject({
      code: 0,
      stdout: 'LoadState=not-found\nActiveState=inactive\nUnitFileState=',
    })
  })
})

describe('a service', () => {
  it('is started and enabled, keeps running when it is disabled, and stops cleanly by SIGTERM', async () => {
    await aBox(sleeps)
    const link = '/etc/systemd/system/multi-user.target.wants/model.service'
    expect(await systemctl('enable', '--now', unit)).toMatchObject({ code: 0, stderr: `Created symlink ${link} → ${unitPath}.` })
    expect(await show()).toMatchObject({
      ActiveState: 'active',
      SubState: 'running',
      UnitFileState: 'enabled',
      FragmentPath: unitPath,
    })
    expect(await systemctl('is-enabled', '--quiet', unit)).toMatchObject({ code: 0, stdout: '' })
    expect(await systemctl('disable', unit)).toMatchObject({ code: 0, stderr: `Removed "${link}".` })
    expect(await systemctl('is-enabled', unit)).toMatchObject({ code: 1, stdout: 'disabled' })
    expect(await systemctl('is-active', unit)).toMatchObject({ code: 0, stdout: 'active' })
    expect(await systemctl('stop', unit)).toMatchObject({ code: 0 })
    expect(await show()).toMatchObject({ ActiveState: 'inactive', Result: 'success', MainPID: '0' })
    expect((await run('journalctl', '-u', unit, '-n', '4', '-o', 'cat')).stdout.split('\n')).toEqual([
      'hello',
      'Stopping model.service - A model...',
      'model.service: Deactivated successfully.',
      'Stopped model.service - A model.',
    ])
  })

  it('that fails is restarted after its pause, counts, and is given up at its limit until the limit is reset', async () => {
    await aBox(['ExecStart=/bin/sh -c "sleep 0.1; exit 3"', 'Restart=on-failure', 'RestartSec=20'])
    expect(await systemctl('start', unit)).toMatchObject({ code: 0 })
    await unitThat({
      ActiveState: 'activating',
      SubState: 'auto-restart',
      Result: 'exit-code',
      ExecMainCode: '1',
      ExecMainStatus: '3',
    })
    await unitThat({ ActiveState: 'failed', Result: 'start-limit-hit', NRestarts: '5' })
    const refused = await systemctl('start', unit)
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('was attempted too often') })
    expect(await systemctl('reset-failed', unit)).toMatchObject({ code: 0 })
    expect(await show()).toMatchObject({ ActiveState: 'inactive', Result: 'success', NRestarts: '0' })
    expect(await systemctl('start', unit)).toMatchObject({ code: 0 })
  })

  it('that ends with a status it is not started again for stays failed', async () => {
    await aBox(['ExecStart=/bin/sh -c "exit 2"', 'Restart=on-failure', 'RestartPreventExitStatus=2'])
    await systemctl('start', unit)
    expect(await unitThat({ ActiveState: 'failed' })).toMatchObject({ Result: 'exit-code', ExecMainStatus: '2', NRestarts: '0' })
  })

  it('that was killed by another signal than those of a stop has failed', async () => {
    await aBox(['ExecStart=/bin/sh -c "kill -9 $$$$"', 'Restart=no'])
    await systemctl('start', unit)
    expect(await unitThat({ ActiveState: 'failed' })).toMatchObject({ Result: 'signal', ExecMainCode: '2', ExecMainStatus: '9' })
  })

  it.each([
    ['no such program', ['ExecStart=/opt/none'], 'the control process exited', { Result: 'exit-code', ExecMainStatus: '203' }],
    ['no such account', ['User=missing-account', ...sleeps], 'the control process exited', { ExecMainStatus: '217' }],
    ['no environment file', ['EnvironmentFile=/etc/none', ...sleeps], 'of unavailable resources', { Result: 'resources' }],
  ])('cannot be started: %s', async (_, service, reason, state) => {
    await aBox(service)
    const { code, stderr } = await systemctl('start', unit)
    expect(code).toBe(1)
    expect(stderr).toContain(`Job for ${unit} failed because ${reason}`)
    expect(await show()).toMatchObject({ ActiveState: 'failed', ...state })
  })

  it('that does not listen is killed when its time is up, and has failed', async () => {
    await aBox(['ExecStart=/bin/sh -c "trap : TERM; echo trapped; while :; do sleep 0.1; done"', 'TimeoutStopSec=20'])
    await systemctl('start', unit)
    await expect.poll(() => box.journal.entries.map(({ text }) => text)).toContain('trapped')
    expect(await systemctl('stop', unit)).toMatchObject({ code: 0 })
    expect(await show()).toMatchObject({ ActiveState: 'failed', Result: 'timeout', ExecMainStatus: '9' })
  })

  it('that waits for its restart is stopped before it, and a start waits with it', async () => {
    await aBox(['ExecStart=/bin/sh -c "sleep 0.1; exit 1"', 'Restart=on-failure', 'RestartSec=120'])
    await systemctl('start', unit)
    await unitThat({ SubState: 'auto-restart' })
    expect(await systemctl('start', unit)).toMatchObject({ code: 0 })
    await unitThat({ SubState: 'auto-restart', NRestarts: '1' })
    expect(await systemctl('stop', unit)).toMatchObject({ code: 0 })
    expect(await show()).toMatchObject({ ActiveState: 'inactive' })
  })

  it('gets its words, its environment and its key as they were meant', async () => {
    const key = new Secret('k$e${y}"\\#\'%h` =', 'a test')
    const file = environmentFileLine('KEY', key).map((part) => (part instanceof Secret ? part.reveal() : part))
    const dump =
      'for word; do printf "%s\\0" "$word"; done >"$HOME/words"; printf %s "$KEY" >"$HOME/key"; printf %s "$PLAIN" >"$HOME/plain"'
    const words = commandLine(['/opt/dump', ...oddWords]).join('')
    await aBox([
      `ExecStart=${words}`,
      'User=op',
      'EnvironmentFile=/opt/env',
      `Environment=${assignment('PLAIN', 'a "b" %h').join('')}`,
    ])
    await writeScript('/opt/dump', `${dump}; exec sleep 60`)
    await writeFile(box.path('/opt/env'), file.join(''))
    await systemctl('start', unit)
    const contentOf = (name: string) => readFile(box.path(`/home/op/${name}`), 'utf8')
    await expect.poll(() => contentOf('plain').catch(() => '')).toBe('a "b" %h')
    expect((await contentOf('words')).split('\0').slice(0, -1)).toEqual(oddWords)
    expect(await contentOf('key')).toBe(key.reveal())
  })
})

describe('unit files', () => {
  it('that were changed count from the next reload on, and for processes from the next start on', async () => {
    await aBox(sleeps)
    await systemctl('start', unit)
    const { MainPID } = await show()
    await writeUnit([...sleeps, 'Restart=always'])
    expect(await show()).toMatchObject({ NeedDaemonReload: 'yes', Restart: 'no' })
    await systemctl('daemon-reload')
    expect(await show()).toMatchObject({ NeedDaemonReload: 'no', Restart: 'always', MainPID })
  })

  it('that are gone leave a process running, which can be stopped', async () => {
    await aBox(sleeps)
    await systemctl('start', unit)
    await rm(box.path(unitPath))
    await systemctl('daemon-reload')
    expect(await show()).toMatchObject({ LoadState: 'not-found', ActiveState: 'active' })
    expect(await systemctl('stop', unit)).toMatchObject({ code: 0 })
    expect(await show()).toMatchObject({ LoadState: 'not-found', ActiveState: 'inactive', FragmentPath: '' })
  })

  it('are changed by drop-ins, hidden by a mask, and of no use without a command', async () => {
    await aBox(sleeps)
    await mkdir(box.path(`${unitPath}.d`))
    await writeFile(box.path(`${unitPath}.d/quick.conf`), '[Service]\nRestart=always\n')
    await systemctl('daemon-reload')
    expect(await show()).toMatchObject({ Restart: 'always', DropInPaths: `${unitPath}.d/quick.conf` })
    await writeUnit([])
    expect(await show()).toMatchObject({ LoadState: 'bad-setting' })
    expect(await systemctl('start', unit)).toMatchObject({ code: 1, stderr: expect.stringContaining('bad unit file setting') })
    await rm(box.path(unitPath))
    await symlink('/dev/null', box.path(unitPath))
    expect(await show()).toMatchObject({ LoadState: 'masked', UnitFileState: 'masked' })
    expect(await systemctl('start', unit)).toMatchObject({ code: 1, stderr: expect.stringContaining('is masked') })
  })
})

describe('what is not simulated', () => {
  it('says so with 64, whatever it is', async () => {
    await aBox([...sleeps, 'MemoryMax=1G'])
    expect(await systemctl('start', unit)).toMatchObject({ code: 64, stderr: 'systemctl: not simulated: MemoryMax= in a unit' })
    expect(await systemctl('isolate', 'rescue.target')).toMatchObject({ code: 64 })
    expect(await systemctl('show', '-p', 'TasksMax', 'none')).toMatchObject({ code: 64 })
    expect(await run('journalctl', '--flush')).toMatchObject({ code: 64 })
    expect(await run('df', '-h')).toMatchObject({ code: 64 })
  })

  it('is not done for everybody', async () => {
    await aBox(sleeps)
    expect(await run('systemctl', 'start', unit)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('authentication required'),
    })
    expect((await run('id', '-u')).stdout).toBe('1000')
    expect((await run('sudo', '-n', '-u', 'root', '--', 'id', '-u')).stdout).toBe('0')
  })
})
