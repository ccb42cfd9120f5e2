import { existsSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { execa } from 'execa'
import { build } from 'plist'
import { afterEach, describe, expect, it } from 'vitest'
import { type Mac, type MacOptions, startMac } from '../../simulation/mac/mac.ts'
import { type LaunchdJob, parseDisabled, parseJob, parseList } from '../../src/facts/parse-launchctl.ts'

// What launchd does was seen on real Macs; each of these is one observation. Ten seconds of launchd are a quarter of a second here.
const pace = 40
const label = 'com.example.coder'
const domain = 'gui/501'
const target = `${domain}/${label}`

let mac: Mac

afterEach(async () => {
  await mac[Symbol.asyncDispose]()
})

interface Ended {
  readonly code: number | undefined
  readonly out: string
  readonly err: string
}

async function run(...words: readonly string[]): Promise<Ended> {
  const [tool = '', ...rest] = words
  const { exitCode, stdout, stderr } = await execa(tool, rest, {
    env: { ...mac.environment },
    extendEnv: false,
    reject: false,
    preferLocal: false,
  })
  return { code: exitCode, out: stdout, err: stderr }
}

const launchctl = (...words: readonly string[]) => run('launchctl', ...words)

async function aMac(options: MacOptions = {}): Promise<string> {
  mac = await startMac({ pace, ...options })
  return install()
}

/** The definition of the specification; the path of its file. */
async function install(more: Readonly<Record<string, unknown>> = {}, port = 12190): Promise<string> {
  const model = join(mac.home, 'model.gguf')
  await writeFile(model, 'GGUF')
  const log = join(mac.home, 'Library/Logs/coder.log')
  const definition = {
    Label: label,
    ProgramArguments: [mac.llamaServer, '--host', '127.0.0.1', '--port', String(port), '--model', model, '--alias', 'coder'],
    RunAtLoad: false,
    KeepAlive: { SuccessfulExit: false },
    StandardOutPath: log,
    StandardErrorPath: log,
    ...more,
  }
  const path = join(mac.home, `Library/LaunchAgents/${label}.plist`)
  await writeFile(path, build(definition), { mode: 0o644 })
  return path
}

const knobs = (values: object) => writeFile(`${mac.llamaServer}.knobs.json`, JSON.stringify(values))

async function job(): Promise<LaunchdJob> {
  return parseJob((await launchctl('print', target)).out)
}

/** Once it is as said. */
async function jobThat(matches: Partial<LaunchdJob>): Promise<LaunchdJob> {
  await expect.poll(job, { interval: 50 }).toMatchObject(matches)
  return job()
}

/** The server listens and has its handlers. */
async function ready(port = 12190): Promise<void> {
  await expect
    .poll(
      () =>
        fetch(`http://127.0.0.1:${port}/health`).then(
          ({ status }) => status,
          () => 0,
        ),
      { interval: 50 },
    )
    .toBe(200)
}

describe('the domain of the system', () => {
  it('lists its daemons, apart from the agents, and needs no root for that', async () => {
    const path = await aMac()
    await run('sudo', 'chown', 'root:wheel', path)
    expect((await run('sudo', 'launchctl', 'bootstrap', 'system', path)).code).toBe(0)
    await ready()
    expect((await launchctl('print', 'system')).out).toMatch(new RegExp(`services = \\{[^}]*[1-9]\\d* +- \\t${label}\\n`))
    expect((await launchctl('print', domain)).out).not.toContain(label)
  })
})

describe('loading', () => {
  it('starts a job whose KeepAlive looks at exits, whatever RunAtLoad says', async () => {
    const path = await aMac()
    expect(await launchctl('bootstrap', domain, path)).toEqual({ code: 0, out: '', err: '' })
    const running = await jobThat({ state: 'running', jobState: 'running', runs: 1 })
    expect(running).toMatchObject({ label, path, program: mac.llamaServer, successfulExit: false, neverExited: true })
    expect(running.arguments).toContain('--alias')
    expect(running.properties).toContain('runatload')
    await ready()
  })

  it('does not start one that is kept alive by nothing', async () => {
    await aMac()
    const path = await install({ KeepAlive: undefined })
    expect((await launchctl('bootstrap', domain, path)).code).toBe(0)
    expect(await job()).toMatchObject({ state: 'not running', jobState: 'uninitialized', pid: null, runs: 0 })
  })

  it('is refused with 5 for one that is loaded, and the old definition stays', async () => {
    const path = await aMac()
    await launchctl('bootstrap', domain, path)
    await install({}, 12191)
    expect(await launchctl('bootstrap', domain, path)).toMatchObject({ code: 5, err: 'Bootstrap failed: 5: Input/output error' })
    expect((await job()).arguments).toContain('12190')
  })

  it.each([
    [5, {}],
    [119, { disabledCode: 119 }],
  ])('is refused with %i for one that is disabled, until it is enabled', async (code, options) => {
    const path = await aMac(options)
    expect((await launchctl('disable', target)).code).toBe(0)
    expect(parseDisabled((await launchctl('print-disabled', domain)).out)).toEqual([label])
    expect((await launchctl('bootstrap', domain, path)).code).toBe(code)
    expect((await launchctl('enable', target)).code).toBe(0)
    expect(parseDisabled((await launchctl('print-disabled', domain)).out)).toEqual([])
    expect((await launchctl('bootstrap', domain, path)).code).toBe(0)
  })

  it('is refused with 5 for a file that others may write, that is missing, or that is no property list', async () => {
    const path = await aMac()
    await chmod(path, 0o666)
    expect((await launchctl('bootstrap', domain, path)).code).toBe(5)
    await writeFile(path, 'no list')
    await chmod(path, 0o644)
    expect((await launchctl('bootstrap', domain, path)).code).toBe(5)
    expect((await launchctl('bootstrap', domain, join(mac.home, 'none.plist'))).code).toBe(5)
  })

  it.each([
    ['a missing program', { ProgramArguments: ['/nowhere/llama-server'] }],
    ['a missing folder for its log', { StandardOutPath: '/nowhere/coder.log' }],
  ])('answers 0 also for %s, which is seen only in the job', async (_, more) => {
    await aMac()
    const path = await install(more)
    expect((await launchctl('bootstrap', domain, path)).code).toBe(0)
    await jobThat({ jobState: 'spawn failed', lastExit: 78, pid: null })
  })

  it('over SSH may hold back every automatic start', async () => {
    const path = await aMac({ pendsOverSsh: true })
    await launchctl('bootstrap', domain, path)
    expect(await job()).toMatchObject({ state: 'not running', pended: 'speculative', runs: 0 })
    expect((await launchctl('kickstart', target)).code).toBe(0)
    const { pid } = await jobThat({ state: 'running', pended: null })
    process.kill(pid ?? 0, 'SIGKILL')
    await jobThat({ state: 'not running', pended: 'semaphore', lastSignal: 9, lastExit: null })
    await sleep(600)
    expect(await job()).toMatchObject({ runs: 1, pid: null })
  })
})

describe('a job that runs', () => {
  it('is started again after an unsuccessful exit, once its throttle lets it', async () => {
    const path = await aMac({ pace: 2 })
    await launchctl('bootstrap', domain, path)
    const { pid } = await jobThat({ state: 'running' })
    process.kill(pid ?? 0, 'SIGKILL')
    await jobThat({ state: 'spawn scheduled', lastSignal: 9 })
    const again = await jobThat({ state: 'running', runs: 2 })
    expect(again.pid).not.toBe(pid)
    // Beside a pid, the last exit is that of the run before.
    expect(again.lastSignal).toBe(9)
  })

  it('stays loaded and down when it ends with 0, as it does on SIGTERM', async () => {
    const path = await aMac()
    await launchctl('bootstrap', domain, path)
    await ready()
    expect((await launchctl('kill', 'SIGTERM', target)).code).toBe(0)
    await jobThat({ state: 'not running', jobState: 'exited', lastExit: 0 })
    await sleep(500)
    expect(await job()).toMatchObject({ runs: 1 })
    expect(await launchctl('kill', 'SIGTERM', target)).toMatchObject({ code: 3, err: 'No process to signal.' })
  })

  it('is killed by SIGTERM while it loads, which is no success: it comes back', async () => {
    const path = await aMac()
    await knobs({ loadMs: 60_000 })
    await launchctl('bootstrap', domain, path)
    await ready503()
    expect((await launchctl('kill', 'SIGTERM', target)).code).toBe(0)
    await jobThat({ state: 'running', runs: 2, lastSignal: 15 })
  })

  it('keeps its process after kickstart, and gets another one after kickstart -k', async () => {
    const path = await aMac()
    await launchctl('bootstrap', domain, path)
    const { pid } = await jobThat({ state: 'running' })
    expect((await launchctl('kickstart', '-p', target)).out).toBe(String(pid))
    const restarted = await launchctl('kickstart', '-kp', target)
    expect(restarted.code).toBe(0)
    expect(Number(restarted.out)).not.toBe(pid)
    expect(await job()).toMatchObject({ state: 'running', runs: 2, pid: Number(restarted.out) })
  })
})

async function ready503(): Promise<void> {
  await expect
    .poll(
      () =>
        fetch('http://127.0.0.1:12190/health').then(
          ({ status }) => status,
          () => 0,
        ),
      { interval: 50 },
    )
    .toBe(503)
}

describe('booting out', () => {
  it('returns early: until the job is gone, the codes are 36 and 5, then 113 and 3', async () => {
    const path = await aMac()
    const [trapped, released] = [join(mac.home, 'trapped'), join(mac.home, 'released')]
    // Ignores SIGTERM until it is released.
    await install({
      ExitTimeOut: 2400,
      ProgramArguments: ['/bin/sh', '-c', 'trap "" TERM; touch "$0"; until [ -e "$1" ]; do sleep 0.1; done', trapped, released],
    })
    await launchctl('bootstrap', domain, path)
    await jobThat({ state: 'running' })
    await expect.poll(() => existsSync(trapped)).toBe(true)
    expect((await launchctl('bootout', target)).code).toBe(0)
    expect((await launchctl('print', target)).code).toBe(0)
    expect(await launchctl('bootout', target)).toMatchObject({ code: 36 })
    expect(await launchctl('bootstrap', domain, path)).toMatchObject({ code: 5 })
    await writeFile(released, '')
    await expect.poll(async () => (await launchctl('print', target)).code).toBe(113)
    expect(await launchctl('print', target)).toMatchObject({
      err: `Bad request.\nCould not find service "${label}" in domain for user gui: 501`,
    })
    expect(await launchctl('bootout', target)).toMatchObject({ code: 3, err: 'Boot-out failed: 3: No such process' })
    expect((await launchctl('bootstrap', domain, path)).code).toBe(0)
  })
})

describe('sessions', () => {
  it('has no gui domain without a user at the screen', async () => {
    const path = await aMac({ consoleUser: null })
    expect(await launchctl('bootstrap', domain, path)).toMatchObject({
      code: 125,
      err: 'Bootstrap failed: 125: Domain does not support specified action',
    })
    expect(await launchctl('print', target)).toMatchObject({ code: 112, err: 'Could not find domain for user gui: 501' })
  })

  it('over SSH, list and the old verbs miss the desktop, and the old verbs still end with 0', async () => {
    const path = await aMac()
    expect((await launchctl('managername')).out).toBe('Background')
    expect(await launchctl('load', path)).toMatchObject({
      code: 0,
      err: 'Load failed: 5: Input/output error',
    })
    expect((await launchctl('print', target)).code).toBe(113)
    await launchctl('bootstrap', domain, path)
    expect(await launchctl('list', label)).toMatchObject({
      code: 113,
      err: `Could not find service "${label}" in domain for port`,
    })
    expect(await launchctl('stop', label)).toMatchObject({ code: 0 })
    expect(await job()).toMatchObject({ state: 'running' })
  })

  it('at the desktop, the old verbs do what their names say', async () => {
    await aMac({ session: 'Aqua' })
    const path = await install({ ExitTimeOut: 2400 })
    expect(await launchctl('load', path)).toMatchObject({ code: 0, err: '' })
    await ready()
    expect(parseList((await launchctl('list')).out)).toEqual([{ label, pid: (await job()).pid, status: 0 }])
    expect(await launchctl('load', path)).toMatchObject({ code: 0, err: 'Load failed: 37: Operation already in progress' })
    await launchctl('stop', label)
    await jobThat({ state: 'not running', lastExit: 0 })
    await launchctl('start', label)
    await jobThat({ state: 'running', runs: 2 })
    expect((await launchctl('unload', path)).code).toBe(0)
    await expect.poll(async () => (await launchctl('print', target)).code).toBe(113)
  })
})
