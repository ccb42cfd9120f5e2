import { statSync } from 'node:fs'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { build } from 'plist'
import { afterEach, describe, expect, it } from 'vitest'
import { type Mac, startMac } from '../../simulation/mac/mac.ts'
import { parseDisabled, parseJob } from '../../src/facts/parse-launchctl.ts'

/** One test is one observation, as in `simulated-mac.test.ts`. */
let mac: Mac
afterEach(() => mac[Symbol.asyncDispose]())

const label = 'com.example.waiter'
const target = `system/${label}`

async function run(
  ...words: readonly string[]
): Promise<{ readonly code: number | undefined; readonly out: string; readonly err: string }> {
  const [tool = '', ...rest] = words
  const { exitCode, stdout, stderr } = await execa(tool, rest, { env: { ...mac.environment }, extendEnv: false, reject: false })
  return { code: exitCode, out: stdout, err: stderr }
}

const sudo = (...words: readonly string[]) => run('sudo', '-n', ...words)

/** A program that writes its variables and waits; the path of its property list among the daemons. */
async function install(more: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const program = join(mac.home, 'waiter')
  await writeFile(program, `#!/bin/sh\nenv\nexec sleep 300\n`)
  await chmod(program, 0o755)
  const log = join(mac.home, 'waiter.log')
  const path = mac.inward(`/Library/LaunchDaemons/${label}.plist`)
  const definition = { Label: label, ProgramArguments: [program], RunAtLoad: true, StandardOutPath: log, ...more }
  await writeFile(path, build(definition), { mode: 0o644 })
  return path
}

const job = async () => parseJob((await run('launchctl', 'print', target)).out)
const variables = () => readFile(join(mac.home, 'waiter.log'), 'utf8').catch(() => '')

describe('the domain of the system', () => {
  it('is read by everyone, and changed by root alone', async () => {
    mac = await startMac()
    const path = await install()
    expect((await run('launchctl', 'print', 'system')).code).toBe(0)
    expect((await run('launchctl', 'print-disabled', 'system')).code).toBe(0)
    expect(await run('launchctl', 'print', target)).toMatchObject({ code: 113 })
    expect(await run('launchctl', 'bootstrap', 'system', path)).toMatchObject({ code: 5 })
    expect((await sudo('launchctl', 'bootstrap', 'system', path)).code).toBe(0)
    expect((await run('launchctl', 'print', target)).out).toMatch(new RegExp(`^${target} = \\{\\n`))
    expect(await run('launchctl', 'bootout', target)).toMatchObject({
      code: 1,
      err: 'Boot-out failed: 1: Operation not permitted',
    })
    expect((await run('launchctl', 'kickstart', target)).code).toBe(1)
    expect((await run('launchctl', 'disable', target)).code).toBe(1)
  })

  it('takes a property list of root, which others cannot write', async () => {
    mac = await startMac()
    const path = await install()
    await sudo('chown', 'op', path)
    expect(await sudo('launchctl', 'bootstrap', 'system', path)).toMatchObject({ code: 5 })
    await sudo('chown', 'root:wheel', path)
    await chmod(path, 0o666)
    expect(await sudo('launchctl', 'bootstrap', 'system', path)).toMatchObject({ code: 5 })
    await chmod(path, 0o644)
    expect((await sudo('launchctl', 'bootstrap', 'system', path)).code).toBe(0)
  })

  it('runs a daemon as its UserName, with the HOME and the Umask that it is given', async () => {
    mac = await startMac()
    const path = await install({ UserName: 'op', Umask: 23, EnvironmentVariables: { HOME: mac.home } })
    await sudo('launchctl', 'bootstrap', 'system', path)
    await expect.poll(variables).toContain(`HOME=${mac.home}\n`)
    expect((await run('ps', '-p', String((await job()).pid), '-o', 'user=')).out.trim()).toBe('op')
    expect(statSync(join(mac.home, 'waiter.log')).mode & 0o777).toBe(0o640)
  })

  it('runs a daemon without one as root, and gives it no HOME', async () => {
    mac = await startMac()
    await sudo('launchctl', 'bootstrap', 'system', await install())
    await expect.poll(variables).toContain('XPC_SERVICE_NAME=')
    expect(await variables()).not.toMatch(/^HOME=/m)
    expect((await run('ps', '-p', String((await job()).pid), '-o', 'user=')).out.trim()).toBe('root')
  })

  it('has a list of disabled labels of its own', async () => {
    mac = await startMac()
    const path = await install()
    await sudo('launchctl', 'disable', target)
    expect(parseDisabled((await run('launchctl', 'print-disabled', 'system')).out)).toEqual([label])
    expect(parseDisabled((await run('launchctl', 'print-disabled', 'gui/501')).out)).toEqual([])
    expect(await sudo('launchctl', 'bootstrap', 'system', path)).toMatchObject({ code: 5 })
  })

  it('is loaded at boot without a login, which agents wait for; a disabled daemon is not', async () => {
    mac = await startMac()
    await install()
    const agent = join(mac.home, 'Library/LaunchAgents/com.example.agent.plist')
    const words = ['/bin/sleep', '300']
    await writeFile(agent, build({ Label: 'com.example.agent', ProgramArguments: words, RunAtLoad: true }), { mode: 0o644 })
    await mac.reboot()
    await expect.poll(job).toMatchObject({ state: 'running', runs: 1 })
    expect((await run('launchctl', 'print', 'gui/501')).code).toBe(112)
    await mac.reboot({ user: 'op' })
    await expect.poll(job).toMatchObject({ state: 'running' })
    expect((await run('launchctl', 'print', 'gui/501/com.example.agent')).code).toBe(0)
    await sudo('launchctl', 'disable', target)
    await mac.reboot()
    expect((await run('launchctl', 'print', target)).code).toBe(113)
  })
})

describe('its tools', () => {
  it('print an account like a line of a password file, or that there is none', async () => {
    mac = await startMac({ machine: { accounts: [{ name: 'models', uid: 502, home: '/Users/models' }] } })
    expect((await run('id', '-P', 'models')).out.split(':')).toEqual([
      'models',
      '********',
      '502',
      '20',
      '',
      '0',
      '0',
      'models',
      '/Users/models',
      '/bin/zsh',
    ])
    expect(await run('id', '-P', 'anna')).toMatchObject({ code: 1, err: 'id: anna: no such user' })
  })

  it.each([true, false])('say whether FileVault is on: %s', async (fileVault) => {
    mac = await startMac({ machine: { fileVault } })
    expect(await run('fdesetup', 'status')).toEqual({ code: 0, out: `FileVault is ${fileVault ? 'On' : 'Off'}.`, err: '' })
  })
})
