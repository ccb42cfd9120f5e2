import { join } from 'node:path'
import { describe, type ExpectStatic, it } from 'vitest'
import { type Ended, type MacSite, openMac } from './mac-site.ts'

function actsOn(site: MacSite, expect: ExpectStatic) {
  return async (args: readonly string[], code = 0): Promise<Ended> => {
    const ended = await site.converge(...args)
    expect(ended.code, ended.told).toBe(code)
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
  it('are set as wanted, and left so when nobody wants them any more', async ({ expect }) => {
    await using site = await openMac(12_100)
    const done = actsOn(site, expect)
    await site.inventory({}, { ...asRoot(site), sleep: { disksleep: 0, sleep: 1 } })
    const { stdout } = await done(['plan', '--detailed-exitcode'], 2)
    expect(stdout).toContain('~ host-setting disksleep 10 → 0')
    await done(['apply', '-y'])
    expect(site.mac.machine.sleep.get('disksleep')).toBe(0)
    await done(['plan', '--detailed-exitcode'])
    await site.inventory({}, asRoot(site))
    await done(['plan', '--detailed-exitcode'])
    expect(site.mac.machine.sleep.get('disksleep')).toBe(0)
  })

  it('that do not take a value are as they were', async ({ expect }) => {
    await using site = await openMac(12_120, { machine: { sleep: new Stubborn([['disksleep', 10]]) } })
    await site.inventory({}, { ...asRoot(site), sleep: { disksleep: 0 } })
    const { stdout } = await actsOn(site, expect)(['apply', '-y'], 5)
    expect(stdout).toContain('AC Power: disksleep is now 1, not 0')
    expect(stdout).toContain('undone: the previous state is back')
    expect([...site.mac.machine.sleep]).toEqual([['disksleep', 10]])
  })

  it('are not tried without root, and the plan says what is missing', async ({ expect }) => {
    await using site = await openMac(12_110)
    const done = actsOn(site, expect)
    await site.inventory({ coder: site.coder({ state: 'stopped' }) }, { sleep: { disksleep: 0 } })
    const { stdout } = await done(['plan'], 3)
    expect(stdout).toContain('PRIVILEGE.MISSING')
    expect(stdout).toContain('Set ansible_become: true for studio')
    await done(['apply', '-y'], 3)
    expect(site.mac.machine.sleep.get('disksleep')).toBe(10)
    await done(['plan', '--detailed-exitcode'], 3)
  })
})
