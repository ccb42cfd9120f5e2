import { existsSync, writeFileSync } from 'node:fs'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, type ExpectStatic, it } from 'vitest'
import type { Plan } from '../../src/model/plan.ts'
import { type Ended, type MacSite, openMac } from './mac-site.ts'

/** An apply that succeeds has seen that a second plan is empty. */
function actsOn(site: MacSite, expect: ExpectStatic) {
  return async (args: readonly string[], code = 0): Promise<Ended> => {
    const ended = await site.converge(...args)
    expect(ended.code, ended.output).toBe(code)
    return ended
  }
}

/** What makes everything on the host run as root, with the account's own folder. */
function asRoot({ mac }: MacSite) {
  return { ansible_become: true, converge_dir: join(mac.home, '.config/converge') }
}

/** Takes no 0, and does not say so. */
class Stubborn extends Map<string, number> {
  override set(name: string, minutes: number): this {
    return super.set(name, minutes === 0 ? 1 : minutes)
  }
}

describe.concurrent('sleep timers of a Mac', { timeout: 180_000 }, () => {
  it('are set as desired, and kept when the inventory no longer has them', async ({ expect }) => {
    await using site = await openMac(12_100)
    const done = actsOn(site, expect)
    await site.inventory({}, { ...asRoot(site), sleep: { disksleep: 0, sleep: 1 } })
    expect((await done(['apply', '-y'])).output).toContain('~ host-setting disksleep 10 → 0')
    expect(site.mac.machine.sleep.get('disksleep')).toBe(0)
    await site.inventory({}, asRoot(site))
    await done(['plan', '--detailed-exitcode'])
    expect(site.mac.machine.sleep.get('disksleep')).toBe(0)
  })

  it('that do not take a value are as they were, and there is no rule of newsyslog that was set with them', async ({
    expect,
  }) => {
    await using site = await openMac(12_120, { machine: { sleep: new Stubborn([['disksleep', 10]]) } })
    const wanted = { ...asRoot(site), rotate_logs: true, sleep: { disksleep: 0 } }
    await site.inventory({ coder: site.coder({ state: 'stopped' }) }, wanted)
    const { stdout } = await actsOn(site, expect)(['apply', '-y'], 5)
    expect(stdout).toContain('AC Power: disksleep is now 1, not 0')
    expect(stdout).toContain('rolled back: the previous state is restored')
    expect([...site.mac.machine.sleep]).toEqual([['disksleep', 10]])
    expect(existsSync(ruleOf(site))).toBe(false)
  })
})

function ruleOf({ mac }: MacSite): string {
  return mac.inward('/etc/newsyslog.d/converge.example.conf')
}

describe.concurrent('the logs of a Mac', { timeout: 180_000 }, () => {
  it('have a rule of newsyslog in place of no foreign file, and an edited one is made good but during an apply', async ({
    expect,
  }) => {
    const timers = new Map([['disksleep', 10]])
    await using site = await openMac(12_270, { machine: { sleep: timers } })
    const done = actsOn(site, expect)
    const idle = { coder: site.coder({ state: 'stopped' }) }
    await writeFile(ruleOf(site), '# by hand\n')
    await site.inventory(idle, { ...asRoot(site), rotate_logs: true })
    expect((await done(['apply', '-y'], 3)).output).toContain('DEFINITION.FOREIGN')
    expect(await readFile(ruleOf(site), 'utf8')).toBe('# by hand\n')

    await rm(ruleOf(site))
    const { output } = await done(['apply', '-y', '--verbose'])
    const line = `${join(site.mac.home, 'Library/Logs/converge/*.log')} op:staff 640 5 10240 * GN`
    expect(output).toContain(`~ host-setting newsyslog (none) → ${line}`)
    expect(output).toContain('# converge: managed com.example.newsyslog')
    const text = await readFile(ruleOf(site), 'utf8')
    expect(text.split('\n').at(-2)).toBe(line)
    expect((await stat(ruleOf(site))).mode & 0o777).toBe(0o644)
    const { stdout } = await done(['plan', '--detailed-exitcode'])
    expect(stdout).not.toContain('LOG.UNBOUNDED')
    await done(['drift'])

    await writeFile(ruleOf(site), text.replace(' 5 10240 ', ' 1 99 '))
    expect((await done(['drift'], 2)).stdout).toContain('newsyslog')
    await done(['apply', '-y'])
    expect(await readFile(ruleOf(site), 'utf8')).toBe(text)

    // A person writes another one while the sleep timers are set.
    await writeFile(ruleOf(site), text.replace(' 5 10240 ', ' 1 99 '))
    await site.inventory(idle, { ...asRoot(site), rotate_logs: true, sleep: { disksleep: 0 } })
    const edited = '# by hand, in the middle of an apply\n'
    timers.set = (name, minutes) => {
      if (minutes === 0) writeFileSync(ruleOf(site), edited)
      return Map.prototype.set.call(timers, name, minutes)
    }
    expect((await done(['apply', '-y'], 5)).stdout).toContain('has not changed since the plan was made')
    expect(timers.get('disksleep')).toBe(10)
    expect(await readFile(ruleOf(site), 'utf8')).toBe(edited)
  })
})

describe.concurrent('a Mac where converge is not root', { timeout: 180_000 }, () => {
  it('keeps its sleep timers, and has a rule for its logs when a person pastes the command of a warning', async ({ expect }) => {
    await using site = await openMac(12_110)
    const done = actsOn(site, expect)
    await site.inventory({ coder: site.coder({ state: 'stopped' }) }, { sleep: { disksleep: 0 } })
    const refused = await done(['apply', '-y'], 3)
    expect(site.mac.machine.sleep.get('disksleep')).toBe(10)
    expect(refused.output).toContain('PRIVILEGE.MISSING')
    expect(refused.output).toContain('Set ansible_become: true for studio')

    await site.inventory({ coder: site.coder({ state: 'stopped' }) }, { rotate_logs: true })
    const { stdout } = await done(['plan', '--json'], 3)
    expect(stdout).toContain('PRIVILEGE.MISSING')
    const plan: Plan = JSON.parse(stdout)
    const next = plan.hosts
      .flatMap(({ warnings }) => warnings.filter(({ code }) => code === 'LOG.UNBOUNDED'))
      .flatMap((one) => one.next.map(String))
    const command = next.find((words) => words.startsWith('On studio:'))?.slice('On studio:'.length)
    const [shell = '', ...words] = site.mac.loginShell
    const pasted = await execa(shell, [...words, site.mac.inward(command ?? 'false')], {
      env: { ...site.mac.environment },
      extendEnv: false,
      reject: false,
    })
    expect(pasted.exitCode, pasted.stderr).toBe(0)
    await site.inventory({ coder: site.coder({ state: 'stopped' }) })
    expect((await done(['plan', '--json'], 0)).stdout).not.toContain('LOG.UNBOUNDED')
  })
})

/** A tool of the Mac, called at its keyboard. */
function call({ mac }: MacSite, tool: string, words: readonly string[]) {
  return execa(tool, words, { env: { ...mac.environment }, extendEnv: false, reject: false })
}

/** Everything that keeps the Mac awake, as its own ps has it. */
async function awake(site: MacSite): Promise<readonly string[]> {
  const { stdout } = await call(site, 'ps', ['-axww', '-o', 'command='])
  return stdout.split('\n').filter((line) => line.startsWith('caffeinate'))
}

describe.concurrent('a Mac with a server that it is to stay awake for', { timeout: 180_000 }, () => {
  it('is kept awake as long as that server runs, and for the next one; a foreign helper is left alone', async ({ expect }) => {
    await using site = await openMac(12_130)
    const done = actsOn(site, expect)
    await site.inventory({ coder: site.coder({ keep_awake: true }) })
    const { stdout } = await done(['apply', '-y'])
    expect(stdout).toContain('host-setting coder')
    expect(stdout).toContain('coder  verified')
    const first = await site.job()
    expect(await awake(site)).toEqual([`caffeinate -i -m -w ${first.pid}`])

    const foreign = call(site, 'caffeinate', ['-s', '-w', String(first.pid)])
    await expect.poll(() => awake(site)).toHaveLength(2)
    await site.inventory({ coder: site.coder() })
    await done(['apply', '-y'])
    expect(await awake(site)).toEqual([`caffeinate -s -w ${first.pid}`])
    await site.inventory({ coder: site.coder({ keep_awake: true }) })
    expect((await done(['apply', '-y'])).output).toContain('~ host-setting coder')
    expect((await awake(site)).toSorted()).toEqual([`caffeinate -i -m -w ${first.pid}`, `caffeinate -s -w ${first.pid}`])
    expect((await site.job()).pid).toBe(first.pid)
    foreign.kill()
    await foreign

    await site.inventory({ coder: site.coder({ keep_awake: true, ctx_size: 2048 }) })
    await done(['apply', '-y'])
    const second = await site.job()
    expect(second.pid).not.toBe(first.pid)
    await expect.poll(() => awake(site)).toEqual([`caffeinate -i -m -w ${second.pid}`])

    await site.inventory({ coder: site.coder({ keep_awake: true, ctx_size: 2048, state: 'stopped' }) })
    await done(['apply', '-y'])
    await expect.poll(() => awake(site)).toEqual([])
  })

  it('is kept awake by root, too, beside its sleep timers and with the files of the account', async ({ expect }) => {
    await using site = await openMac(12_150)
    const done = actsOn(site, expect)
    const wanted = { ...asRoot(site), sleep: { disksleep: 0 } }
    await site.inventory({ coder: site.coder({ keep_awake: true }) }, wanted)
    await done(['apply', '-y'])
    const { pid } = await site.job()
    expect(await awake(site)).toEqual([`caffeinate -i -m -w ${pid}`])
    // One service alone: the machine is not asked about.
    site.mac.machine.sleep.set('disksleep', 10)
    await done(['plan', '--detailed-exitcode', '--service', 'coder'])
    await done(['plan', '--detailed-exitcode'], 2)
    await site.inventory({ coder: site.coder() }, wanted)
    await done(['apply', '-y'])
    expect(await awake(site)).toEqual([])
    expect((await site.job()).pid).toBe(pid)
  })
})
