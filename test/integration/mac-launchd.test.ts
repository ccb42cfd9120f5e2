import { existsSync } from 'node:fs'
import { appendFile, chmod, copyFile, mkdir, readdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { execa } from 'execa'
import { describe, type ExpectStatic, it } from 'vitest'
import { type Ended, type MacSite, openMac } from './mac-site.ts'
import { describePortSwaps } from './mac-swaps.ts'

const agentFile = 'Library/LaunchAgents/com.example.coder.plist'

// Side by side, for what they do most is wait; each has a Mac and ports of its own.

function actsOn(site: MacSite, expect: ExpectStatic) {
  const done = async (args: readonly string[], code = 0): Promise<Ended> => {
    const ended = await site.converge(...args)
    expect(ended.code, ended.told).toBe(code)
    return ended
  }
  return {
    done,
    apply: () => done(['apply', '-y']),
    /** Nothing is left to be done. */
    settled: () => done(['plan', '--detailed-exitcode']),
  }
}

describe.concurrent('an agent', { timeout: 180_000 }, () => {
  it('is loaded, runs, is loaded anew for another definition, and leaves nothing of ours', async ({ expect }) => {
    await using site = await openMac(12_000)
    const { apply, settled } = actsOn(site, expect)
    await site.inventory({ coder: site.coder() })
    const { stdout } = await apply()
    expect(stdout).toContain('coder  works')
    const first = await site.job()
    expect(first).toMatchObject({ state: 'running', successfulExit: false, exitTimeoutS: 10 })
    await settled()

    await site.inventory({ coder: site.coder({ ctx_size: 2048 }) })
    await apply()
    const second = await site.job()
    expect(second.pid).not.toBe(first.pid)
    expect(second.arguments.join(' ')).toContain('--ctx-size 2048')
    await settled()

    await site.inventory({ coder: site.coder({ state: 'absent' }) })
    await apply()
    expect(await site.job()).toMatchObject({ code: 113 })
    const left = await readdir(site.mac.home, { recursive: true })
    expect(left.filter((path) => /LaunchAgents\/|keys\//.test(path))).toEqual([])
    await settled()
  })

  it('whose model is replaced by an older file is restarted, and not for another mode of it', async ({ expect }) => {
    await using site = await openMac(12_260)
    const { apply, done, settled } = actsOn(site, expect)
    const [model, older] = ['m.gguf', 'other/m.gguf'].map((name) => join(site.mac.home, 'models', name))
    if (model === undefined || older === undefined) throw new Error('two paths')
    await mkdir(dirname(older))
    await copyFile(model, older)
    await site.inventory({ coder: site.coder() })
    await apply()
    const { pid } = await site.job()
    // Nothing that is changed from here on could be as old as the process.
    await sleep(4000)
    await chmod(model, 0o600)
    await chmod(site.mac.llamaServer, 0o700)
    await settled()
    await done(['drift'])

    await rename(older, model)
    const { stdout } = await done(['plan', '--detailed-exitcode'], 2)
    expect(stdout).toContain('restart coder')
    expect((await done(['drift'], 2)).stdout).toContain('running.model')
    await apply()
    expect((await site.job()).pid).not.toBe(pid)
    await settled()
  })

  it('whose program is written anew is restarted', async ({ expect }) => {
    await using site = await openMac(12_261)
    const { apply, done, settled } = actsOn(site, expect)
    await site.inventory({ coder: site.coder() })
    await apply()
    const { pid } = await site.job()
    await sleep(4000)
    await appendFile(site.mac.llamaServer, '# of another release\n')
    expect((await done(['drift'], 2)).stdout).toContain('running.executable')
    await apply()
    expect((await site.job()).pid).not.toBe(pid)
    await settled()
  })

  it('that a person killed and launchd does not start again is started', async ({ expect }) => {
    await using site = await openMac(12_010, { pendsOverSsh: true })
    const { apply, done, settled } = actsOn(site, expect)
    await site.inventory({ coder: site.coder() })
    await apply()
    process.kill((await site.job()).pid ?? 0, 'SIGKILL')
    await expect.poll(() => site.job()).toMatchObject({ state: 'not running', pended: 'semaphore' })
    const { stdout } = await done(['plan', '--detailed-exitcode'], 2)
    expect(stdout).toContain('start coder')
    await apply()
    expect(await site.job()).toMatchObject({ state: 'running', pended: null })
    await settled()
  })

  it('is the account’s also where everything is done as root, and what root keeps is on the Mac alone', async ({ expect }) => {
    await using site = await openMac(12_020)
    const { apply, settled } = actsOn(site, expect)
    await site.inventory({ coder: site.coder() }, { ansible_become: true })
    await apply()
    expect(await site.job()).toMatchObject({ state: 'running', path: join(site.mac.home, agentFile) })
    expect(existsSync('/etc/converge/keys/coder.key')).toBe(false)
    await settled()
  })

  it('that still loads is stopped for good, although it dies of the signal and launchd would start it again', async ({
    expect,
  }) => {
    await using site = await openMac(12_070, { pendsOverSsh: true })
    const { apply, settled } = actsOn(site, expect)
    await site.inventory({ coder: site.coder() })
    await apply()
    await writeFile(`${site.mac.llamaServer}.knobs.json`, JSON.stringify({ loadMs: 600_000 }))
    await site.mac.launchd.kickstart('gui/501', 'com.example.coder', true)
    const status = () =>
      fetch(`http://127.0.0.1:${site.port}/health`).then(
        (answer) => answer.status,
        () => 0,
      )
    await expect.poll(status, { timeout: 10_000 }).toBe(503)
    await site.inventory({ coder: site.coder({ state: 'stopped' }) })
    await apply()
    expect(await site.job()).toMatchObject({ code: 113 })
    await settled()
  })

  it('that does not come up again after its bootout is back as it was', async ({ expect }) => {
    await using site = await openMac(12_030)
    const { apply, done } = actsOn(site, expect)
    await site.inventory({ coder: site.coder() })
    await apply()
    // More tries than one load makes, fewer than that and the way back together.
    site.mac.launchd.settings.faults.push({ verb: 'bootstrap', code: 5, times: 20 })
    await site.inventory({ coder: site.coder({ ctx_size: 2048 }) })
    const { stdout } = await done(['apply', '-y'], 5)
    expect(stdout).toContain('undone: the previous state is back')
    const job = await site.job()
    expect(job).toMatchObject({ state: 'running' })
    expect(job.arguments.join(' ')).toContain('--ctx-size 1024')
  })
})

describe.concurrent('a Mac with 32 GB', { timeout: 180_000 }, () => {
  it('has one Kind A at a time: the one is stopped, and gone, before the other starts', async ({ expect }) => {
    await using site = await openMac(12_040)
    const { apply, settled } = actsOn(site, expect)
    const writer = (more: object) => site.coder({ port: 12_041, alias: 'writer', ...more })
    await site.inventory({ coder: site.coder(), writer: writer({ state: 'stopped' }) })
    await apply()
    await settled()
    site.mac.launchd.events.length = 0

    await site.inventory({ coder: site.coder({ state: 'stopped' }), writer: writer({}) })
    await apply()
    expect(site.mac.launchd.events.map(({ label, event }) => `${label} ${event}`)).toEqual([
      'com.example.coder ended',
      'com.example.writer started',
    ])
    expect(await site.job()).toMatchObject({ code: 0, state: 'not running' })
    expect(site.mac.launchd.disabled.get('com.example.coder')).toBe(true)
    expect(await site.job('writer')).toMatchObject({ state: 'running' })
    await settled()
  })

  it('has the definition of a stopped one put in place beside a running one, and not loaded', async ({ expect }) => {
    await using site = await openMac(12_080)
    const { apply, settled } = actsOn(site, expect)
    await site.inventory({ coder: site.coder() })
    await apply()
    site.mac.launchd.events.length = 0
    const writer = site.coder({ port: 12_081, alias: 'writer', state: 'stopped' })
    await site.inventory({ coder: site.coder(), writer })
    await apply()
    expect(site.mac.launchd.events).toEqual([])
    expect(await site.job('writer')).toMatchObject({ code: 113 })
    expect(await readdir(join(site.mac.home, 'Library/LaunchAgents'))).toContain('com.example.writer.plist')
    await settled()
  })

  it('starts nothing because of a stop that did not happen', async ({ expect }) => {
    await using site = await openMac(12_170)
    const { apply, done } = actsOn(site, expect)
    const writer = (more: object) => site.coder({ port: 12_171, alias: 'writer', ...more })
    await site.inventory({ coder: site.coder(), writer: writer({ state: 'stopped' }) })
    await apply()
    await site.inventory({ coder: site.coder({ state: 'stopped' }), writer: writer({}) })
    site.mac.launchd.settings.faults.push({ verb: 'disable', code: 112, times: 1 })
    const { told } = await done(['apply', '-y'], 5)
    expect(told).toContain('CORUN.SECOND_KIND_A')
    expect(await site.job()).toMatchObject({ state: 'running' })
    expect(await site.job('writer')).toMatchObject({ pid: null })
    await apply()
    expect(await site.job('writer')).toMatchObject({ state: 'running' })
  })

  it('has a server that was taken out of the inventory, and is told how to get rid of it', async ({ expect }) => {
    await using site = await openMac(12_090)
    const { apply, done } = actsOn(site, expect)
    await site.inventory({ coder: site.coder() })
    await apply()
    await site.inventory({ writer: site.coder({ port: 12_091, alias: 'writer' }) })
    const { stdout } = await done(['plan'], 3)
    expect(stdout).toContain('SERVICE.FORGOTTEN')
    expect(stdout).toContain('Put coder back into the inventory of studio with state: absent, then apply.')
    expect(stdout).not.toContain('converge does not manage it')
  })

  it('starts nothing beside a server that somebody else started', async ({ expect }) => {
    await using site = await openMac(12_050)
    const { done } = actsOn(site, expect)
    const { mac } = site
    const words = ['--port', '12051', '--model', join(mac.home, 'models/m.gguf')]
    const stranger = execa(mac.llamaServer, words, { env: { ...mac.environment }, extendEnv: false, reject: false })
    mac.adopt(stranger.pid ?? 0)
    await site.inventory({ coder: site.coder() })
    const { stdout } = await done(['plan'], 3)
    expect(stdout).toContain('CORUN.SECOND_KIND_A')
    expect(stdout).toContain(`pid ${stranger.pid}, parent `)
    await done(['apply', '-y'], 3)
    expect(process.kill(stranger.pid ?? 0, 0)).toBe(true)
    expect(mac.launchd.events).toEqual([])
    stranger.kill()
    await stranger
  })

  it('has no agent touched while nobody sits at the screen', async ({ expect }) => {
    await using site = await openMac(12_060, { consoleUser: null })
    await site.inventory({ coder: site.coder() })
    const { stdout } = await actsOn(site, expect).done(['plan'], 3)
    expect(stdout).toContain('SESSION.NONE')
  })
})

describePortSwaps()
