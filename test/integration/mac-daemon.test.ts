import { existsSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, type ExpectStatic, expect as expectAny, it } from 'vitest'
import { launchctl } from '../../simulation/mac/launchctl.ts'
import { type LaunchdJob, parseJob } from '../../src/facts/parse-launchctl.ts'
import { agentOf, loadAgent } from './hand-made-agents.ts'
import { type Ended, type MacSite, openMac } from './mac-site.ts'

type Seen = LaunchdJob & { readonly code: number }

function endedWith({ code, output }: Ended, wanted: number, expect: ExpectStatic): void {
  expect(code, output).toBe(wanted)
}

describe('a daemon, on a Mac where no user is logged in at first', { timeout: 120_000 }, () => {
  let site: MacSite
  beforeAll(async () => {
    site = await openMac(12_290, { consoleUser: null })
  })
  afterAll(() => site[Symbol.asyncDispose]())

  const daemon = async (): Promise<Seen> => {
    const { code, out = '' } = await launchctl(site.mac.launchd, ['print', 'system/com.example.coder'])
    return { code, ...parseJob(out) }
  }
  /** An apply that succeeds has seen that a second plan is empty. */
  const done = async (args: readonly string[], code = 0): Promise<Ended> => {
    const ended = await site.converge(...args)
    endedWith(ended, code, expectAny)
    return ended
  }
  const wants = (more: object, host: object = { ansible_become: true }) =>
    site.inventory({ coder: site.coder({ domain: 'system', ...more }) }, host)
  const answers = async (): Promise<number> => {
    const asked = fetch(`http://127.0.0.1:${site.port}/health`)
    return asked.then(({ status }) => status).catch(() => 0)
  }
  const plist = '/Library/LaunchDaemons/com.example.coder.plist'
  const agentPlist = () => join(site.mac.home, 'Library/LaunchAgents/com.example.coder.plist')
  const starts = () => site.mac.launchd.events.filter(({ event }) => event === 'started').length

  it('needs root, and no user at the screen as an agent does', async ({ expect }) => {
    await wants({ domain: 'gui' }, {})
    expect((await done(['plan'], 3)).stdout).toContain('SESSION.NONE')
    await wants({}, {})
    const { stdout } = await done(['plan'], 3)
    expect(stdout).toContain('PRIVILEGE.MISSING')
    expect(stdout).not.toContain('SESSION.NONE')
  })

  it('is installed and runs as its account, with a file of root and a key of the account', async ({ expect }) => {
    await wants({})
    expect((await done(['apply', '-y'])).stdout).toContain('coder  verified')
    expect(await daemon()).toMatchObject({
      state: 'running',
      path: site.mac.inward(plist),
      stdoutPath: expect.stringContaining('Logs/converge/op/'),
    })
    const { ownerOf } = site.mac.launchd.settings
    const key = site.mac.inward('/etc/converge/keys/coder.key')
    expect([ownerOf(site.mac.inward(plist)), ownerOf(key)]).toEqual(['root', 'op'])
    expect([statSync(site.mac.inward(plist)).mode & 0o777, statSync(key).mode & 0o777]).toEqual([0o644, 0o600])
    await done(['drift'])
  })

  it('is there after a restart of the Mac without a login', async ({ expect }) => {
    await site.mac.reboot()
    await expect.poll(answers).toBe(200)
    expect(await daemon()).toMatchObject({ state: 'running', runs: 1 })
    await done(['plan', '--detailed-exitcode'])
  })

  it('does not become an agent without a login, and goes back if the agent does not start', async ({ expect }) => {
    await wants({ domain: 'gui' })
    expect((await done(['plan'], 3)).stdout).toContain('SESSION.NONE')
    await site.mac.reboot({ user: 'op' })
    await expect.poll(answers).toBe(200)
    // By then the daemon and its file are gone.
    site.mac.launchd.settings.faults.push({ verb: 'enable', code: 5, times: 1 })
    const { stdout } = await done(['apply', '-y'], 5)
    expect(stdout).toContain('rolled back: the previous state is restored')
    expect(await daemon()).toMatchObject({ state: 'running' })
    expect(await site.job()).toMatchObject({ code: 113 })
    expect([existsSync(site.mac.inward(plist)), existsSync(agentPlist())]).toEqual([true, false])
  })

  it('becomes an agent in one action, and leaves nothing behind', async ({ expect }) => {
    const before = starts()
    const { output } = await done(['apply', '-y'])
    expect(output).toContain('Moves from domain system to gui; the server restarts there.')
    expect(starts()).toBe(before + 1)
    expect([await site.job(), await daemon()]).toMatchObject([{ state: 'running' }, { code: 113 }])
    expect([existsSync(site.mac.inward(plist)), existsSync(agentPlist())]).toEqual([false, true])
  })

  it('becomes a daemon again where the agent waits for a login', async ({ expect }) => {
    await site.mac.reboot()
    const { stdout } = await done(['plan'], 3)
    expect(stdout).toContain('Or set domain: system for coder')
    await wants({})
    await done(['apply', '-y'])
    expect(await daemon()).toMatchObject({ state: 'running' })
    expect(existsSync(agentPlist())).toBe(false)
  })

  it('stays down where it is stopped, whatever starts the Mac, and is gone where it is absent', async ({ expect }) => {
    await wants({ state: 'stopped' })
    await done(['apply', '-y'])
    await site.mac.reboot({ user: 'op' })
    expect(await daemon()).toMatchObject({ code: 113 })
    await wants({ state: 'absent' })
    await done(['apply', '-y'])
    expect(existsSync(site.mac.inward(plist))).toBe(false)
  })

  it('is adopted as a person wrote it', async ({ expect }) => {
    await site.inventory({}, { ansible_become: true })
    const more = '<key>RunAtLoad</key><true/><key>UserName</key><string>op</string>'
    await loadAgent(site, agentOf(site, 'local.llama', 0, { more, runs: false }), { domain: 'system' })
    await expect.poll(answers).toBe(200)
    const printed = async () => parseJob((await launchctl(site.mac.launchd, ['print', 'system/local.llama'])).out ?? '')
    const before = await printed()
    await done(['adopt', '--write'])
    expect(await readFile(join(site.folder, 'fleet.yaml'), 'utf8')).toMatch(/domain: system\n +label: local\.llama\n/)
    await done(['apply', '-y'])
    expect(await printed()).toMatchObject({ pid: before.pid, runs: 1 })
  })
})
