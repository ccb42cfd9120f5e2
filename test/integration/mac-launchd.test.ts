import { existsSync } from 'node:fs'
import { appendFile, chmod, copyFile, mkdir, readdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { execa } from 'execa'
import { describe, type ExpectStatic, it } from 'vitest'
import { launchctl } from '../../simulation/mac/launchctl.ts'
import { type Ended, type MacSite, openMac } from './mac-site.ts'
import { describePortSwaps } from './mac-swaps.ts'

const agentFile = 'Library/LaunchAgents/com.example.coder.plist'

// Side by side, for what they do most is wait; each has a Mac and ports of its own.

function actsOn(site: MacSite, expect: ExpectStatic) {
  const done = async (args: readonly string[], code = 0): Promise<Ended> => {
    const ended = await site.converge(...args)
    expect(ended.code, ended.output).toBe(code)
    return ended
  }
  return {
    done,
    /** Its success says that a second plan was empty. */
    apply: () => done(['apply', '-y']),
    /** Nothing is left to be done. */
    settled: () => done(['plan', '--detailed-exitcode']),
  }
}

/** Over a rotation by newsyslog, without its key, until Ctrl-C; the server is restarted meanwhile. */
async function expectFollowedLog(site: MacSite, expect: ExpectStatic): Promise<void> {
  const log = join(site.mac.home, 'Library/Logs/converge/coder.log')

  const tail = await site.converge('logs', 'coder', '--lines', '1')
  expect(tail.code, tail.output).toBe(0)
  expect(tail.stdout).toMatch(/listening/)
  const json = await site.converge('logs', 'coder@studio', '--json')
  expect(JSON.parse(json.stdout.split('\n')[0] ?? '')).toMatchObject({
    schema: 'converge/log-line/v1',
    host: 'studio',
    service: 'coder',
  })

  const following = site.begin('logs', 'coder', 'other', '--follow', '--lines', '1')
  await expect.poll(() => following.soFar()).toMatch(/other@studio: there is no file .*other\.log yet/)
  // Its log is open.
  await expect.poll(() => following.printed()).toMatch(/^coder \| .*listening.*\n$/)
  const before = following.printed()
  // The server goes on writing into the renamed file.
  await rename(log, `${log}.0`)
  await writeFile(log, '')
  await appendFile(`${log}.0`, 'GET /v1/models?key=abc k3y-of-the-mac \u001b]0;title\u0007\n')
  await expect.poll(() => following.printed()).toBe(`${before}coder | GET /v1/models?key=*** *** \\u001b]0;title\\u0007\n`)
  expect(await launchctl(site.mac.launchd, ['kickstart', '-k', 'gui/501/com.example.coder'])).toMatchObject({ code: 0 })
  await expect.poll(() => following.printed()).toMatch(/\\u0007\ncoder \| .*listening/)
  following.interrupt()
  const { code, output } = await following.ended
  expect(code, output).toBe(130)
  expect(output).not.toContain('k3y-of-the-mac')
  expect(output).not.toMatch(/[Ii]nterrupted/)
}

describe.concurrent('an agent', { timeout: 180_000 }, () => {
  it('is loaded, runs, is rolled back if it does not start again, is reloaded for another definition, and leaves nothing behind', async ({
    expect,
  }) => {
    await using site = await openMac(12_000)
    const { apply, done } = actsOn(site, expect)
    await site.inventory({ coder: site.coder() })
    const { stdout } = await apply()
    expect(stdout).toContain('coder  verified')
    const first = await site.job()
    expect(first).toMatchObject({ state: 'running', successfulExit: false, exitTimeoutS: 10 })

    // More tries than one load makes, fewer than that and the rollback together.
    site.mac.launchd.settings.faults.push({ verb: 'bootstrap', code: 5, times: 20 })
    await site.inventory({ coder: site.coder({ ctx_size: 2048 }) })
    expect((await done(['apply', '-y'], 5)).stdout).toContain('rolled back: the previous state is restored')
    const back = await site.job()
    expect(back).toMatchObject({ state: 'running' })
    expect(back.arguments.join(' ')).toContain('--ctx-size 1024')

    site.mac.launchd.settings.faults.length = 0
    await apply()
    const second = await site.job()
    expect(second.pid).not.toBe(back.pid)
    expect(second.arguments.join(' ')).toContain('--ctx-size 2048')

    await site.inventory({ coder: site.coder({ state: 'absent' }) })
    await apply()
    expect(await site.job()).toMatchObject({ code: 113 })
    const left = await readdir(site.mac.home, { recursive: true })
    expect(left.filter((path) => /LaunchAgents\/|keys\//.test(path))).toEqual([])
  })

  it('has a log that is followed; it is restarted for an older file as its model and for another program, and not for their modes', async ({
    expect,
  }) => {
    await using site = await openMac(12_260)
    const { apply, done, settled } = actsOn(site, expect)
    const [model, older] = ['m.gguf', 'other/m.gguf'].map((name) => join(site.mac.home, 'models', name))
    if (model === undefined || older === undefined) throw new Error('two paths')
    await mkdir(dirname(older))
    await copyFile(model, older)
    await site.inventory({ coder: site.coder(), other: site.coder({ port: 12_261, state: 'absent' }) })
    await apply()
    await expectFollowedLog(site, expect)

    const { pid } = await site.job()
    // Nothing that is changed from here on could be as old as the process.
    await sleep(4000)
    await chmod(model, 0o600)
    await chmod(site.mac.llamaServer, 0o700)
    await settled()
    await done(['drift'])

    await rename(older, model)
    expect((await done(['drift'], 2)).stdout).toContain('running.model')
    expect((await apply()).output).toContain('restart coder')
    const second = await site.job()
    expect(second.pid).not.toBe(pid)

    await sleep(4000)
    await appendFile(site.mac.llamaServer, '# of another release\n')
    expect((await done(['drift'], 2)).stdout).toContain('running.executable')
    await apply()
    expect((await site.job()).pid).not.toBe(second.pid)
  })

  it('is started where a person killed it and launchd does not start it again, and stopped for good while it still loads', async ({
    expect,
  }) => {
    await using site = await openMac(12_010, { pendsOverSsh: true })
    const { apply } = actsOn(site, expect)
    await site.inventory({ coder: site.coder() })
    await apply()
    process.kill((await site.job()).pid ?? 0, 'SIGKILL')
    await expect.poll(() => site.job()).toMatchObject({ state: 'not running', pended: 'semaphore' })
    expect((await apply()).output).toContain('start coder')
    expect(await site.job()).toMatchObject({ state: 'running', pended: null })

    // It dies of the signal, and launchd would start it again.
    await writeFile(`${site.mac.llamaServer}.knobs.json`, JSON.stringify({ loadMs: 600_000 }))
    await site.mac.launchd.kickstart('gui/501', 'com.example.coder', true)
    const status = () =>
      fetch(`http://127.0.0.1:${site.port}/health`).then(
        (answer) => answer.status,
        () => 0,
      )
    await expect.poll(status).toBe(503)
    await site.inventory({ coder: site.coder({ state: 'stopped' }) })
    await apply()
    expect(await site.job()).toMatchObject({ code: 113 })
  })

  it('is the account’s also where everything is done as root, and what root keeps is on the Mac alone', async ({ expect }) => {
    await using site = await openMac(12_020)
    await site.inventory({ coder: site.coder() }, { ansible_become: true })
    await actsOn(site, expect).apply()
    expect(await site.job()).toMatchObject({ state: 'running', path: join(site.mac.home, agentFile) })
    expect(existsSync('/etc/converge/keys/coder.key')).toBe(false)
  })
})

/** Nothing starts beside an unmanaged server. */
async function refusedBesideAnother(site: MacSite, expect: ExpectStatic): Promise<void> {
  const { mac } = site
  const words = ['--port', '12051', '--model', join(mac.home, 'models/m.gguf')]
  const foreign = execa(mac.llamaServer, words, { env: { ...mac.environment }, extendEnv: false, reject: false })
  mac.adopt(foreign.pid ?? 0)
  const { output } = await actsOn(site, expect).done(['apply', '-y'], 3)
  expect(output).toContain('CORUN.SECOND_KIND_A')
  expect(output).toContain(`pid ${foreign.pid}, parent `)
  expect(process.kill(foreign.pid ?? 0, 0)).toBe(true)
  expect(mac.launchd.events).toEqual([])
  foreign.kill()
  await foreign
}

describe.concurrent('a Mac with 32 GB', { timeout: 180_000 }, () => {
  it('has one Kind A at a time: the one is stopped, and gone, before the other starts, which it does not where nothing was stopped', async ({
    expect,
  }) => {
    await using site = await openMac(12_040)
    const { apply, done } = actsOn(site, expect)
    const writer = (more: object) => site.coder({ port: 12_041, alias: 'writer', ...more })
    await site.inventory({ coder: site.coder() })
    await refusedBesideAnother(site, expect)
    await apply()
    site.mac.launchd.events.length = 0

    // The definition of the other is put in place, and not loaded.
    await site.inventory({ coder: site.coder(), writer: writer({ state: 'stopped' }) })
    await apply()
    expect(site.mac.launchd.events).toEqual([])
    expect(await site.job('writer')).toMatchObject({ code: 113 })
    expect(await readdir(join(site.mac.home, 'Library/LaunchAgents'))).toContain('com.example.writer.plist')

    await site.inventory({ coder: site.coder({ state: 'stopped' }), writer: writer({}) })
    site.mac.launchd.settings.faults.push({ verb: 'disable', code: 112, times: 1 })
    const { output } = await done(['apply', '-y'], 5)
    expect(output).toContain('CORUN.SECOND_KIND_A')
    expect(await site.job()).toMatchObject({ state: 'running' })
    expect(await site.job('writer')).toMatchObject({ pid: null })
    expect(site.mac.launchd.events).toEqual([])

    await apply()
    expect(site.mac.launchd.events.map(({ label, event }) => `${label} ${event}`)).toEqual([
      'com.example.coder ended',
      'com.example.writer started',
    ])
    expect(await site.job()).toMatchObject({ code: 0, state: 'not running' })
    expect(site.mac.launchd.disabled.get('com.example.coder')).toBe(true)
    expect(await site.job('writer')).toMatchObject({ state: 'running' })

    // The other is taken out of the inventory.
    await site.inventory({ coder: site.coder() })
    const { stdout } = await done(['plan'], 3)
    expect(stdout).toContain('SERVICE.FORGOTTEN')
    expect(stdout).toContain('Put writer back into the inventory of studio with `state: absent`, then apply.')
    expect(stdout).not.toContain('converge does not manage it')
  })
})

describePortSwaps()
