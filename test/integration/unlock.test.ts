import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import { type LinuxSite, openLinuxBox } from './linux-site.ts'

const holder = { owner: 'op', controller: 'laptop', pid: 4242, runId: 'run-1', since: '2026-11-01T10:00:00.000Z', token: 't' }

function lockOn({ box }: LinuxSite, silentS: number): void {
  mkdirSync(box.path('/etc/converge/lock'), { recursive: true })
  writeFileSync(box.path('/etc/converge/lock/owner'), `${JSON.stringify(holder)}\n`)
  writeFileSync(box.path('/etc/converge/lock/beat'), `${Math.floor(Date.now() / 1000) - silentS}\n`)
}

// Side by side, for what they do most is wait.
describe.concurrent('converge unlock', { timeout: 120_000 }, () => {
  it('shows who holds the lock of a host; that of a living run is taken away only where it is meant', async ({ expect }) => {
    await using site = await openLinuxBox(13_570)
    await site.inventory({ flagship: site.flagship() })
    const free = await site.converge('unlock', 'box', '-y')
    expect(free).toMatchObject({ code: 0, stdout: 'Nobody holds the lock of box.' })

    lockOn(site, 12)
    const refused = await site.converge('unlock', 'box', '-y')
    expect(refused.code, refused.told).toBe(8)
    expect(refused.told).toMatch(/APPLY\.LOCK_ALIVE.*op@laptop \(process 4242\).*--living/s)
    expect(readdirSync(site.box.path('/etc/converge/lock')).toSorted()).toEqual(['beat', 'owner'])
    const locked = await site.converge('apply', '-y')
    expect(locked.code, locked.told).toBe(8)
    expect(locked.told).toMatch(/APPLY\.LOCKED.*--lock-timeout.*converge unlock .*box/s)

    const living = await site.converge('unlock', 'box', '-y', '--living', '--json')
    expect(living.code, living.told).toBe(0)
    expect(JSON.parse(living.stdout)).toMatchObject({
      schema: 'converge/unlock/v1',
      host: 'box',
      lock: { owner: 'op', controller: 'laptop', pid: 4242, run_id: 'run-1', since: holder.since, alive: true },
      removed: true,
    })
    expect(readdirSync(site.box.path('/etc/converge'))).toEqual(['audit.log'])
  })

  it('takes that of a run that died away', async ({ expect }) => {
    await using site = await openLinuxBox(13_571)
    await site.inventory({ flagship: site.flagship() })
    lockOn(site, 300)
    const dead = await site.converge('unlock', 'box', '-y')
    expect(dead.code, dead.told).toBe(0)
    expect(dead.stdout).toMatch(/locked by a run that died.*op on laptop.*3\d\d s ago.*was taken away/s)
    expect(readdirSync(site.box.path('/etc/converge'))).toEqual(['audit.log'])
  })
})
