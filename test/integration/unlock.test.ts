import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { thisProcess } from '../../src/state/process-identity.ts'
import { type LinuxSite, openLinuxBox } from './linux-site.ts'

const holder = { owner: 'op', controller: 'laptop', pid: 4242, runId: 'run-1', since: '2026-11-01T10:00:00.000Z', token: 't' }

function lockOn({ box }: LinuxSite, silentS: number, held: object = holder): void {
  mkdirSync(box.path('/etc/converge/lock'), { recursive: true })
  writeFileSync(box.path('/etc/converge/lock/owner'), `${JSON.stringify(held)}\n`)
  writeFileSync(box.path('/etc/converge/lock/beat'), `${Math.floor(Date.now() / 1000) - silentS}\n`)
}

// Side by side, for what they do most is wait.
describe.concurrent('converge unlock', { timeout: 120_000 }, () => {
  it('shows the holder of the lock of a host; that of a living run is removed only with --living', async ({ expect }) => {
    await using site = await openLinuxBox(13_570)
    await site.inventory({ flagship: site.flagship() })
    const free = await site.converge('unlock', 'box', '-y')
    expect(free).toMatchObject({ code: 0, stdout: 'box is not locked.' })

    lockOn(site, 12)
    const shown = await site.converge('unlock', 'box')
    expect(shown.code, shown.output).toBe(64)
    expect(shown.stdout).toMatch(/box {2}locked\n.*op on laptop.*run-1.*is possibly active/s)
    expect(shown.output).toMatch(/USAGE\.CONFIRM.*no terminal to ask for confirmation.*unlock box .*-y --living/s)
    const asJson = await site.converge('unlock', 'box', '--json')
    expect(JSON.parse(asJson.stdout)).toMatchObject({ lock: { owner: 'op', run_id: 'run-1' }, removed: false })
    expect(readdirSync(site.box.path('/etc/converge/lock')).toSorted()).toEqual(['beat', 'owner'])
    const refused = await site.converge('unlock', 'box', '-y')
    expect(refused.code, refused.output).toBe(8)
    expect(refused.output).toMatch(/APPLY\.LOCK_ALIVE.*op@laptop \(process 4242\).*--living/s)
    expect(readdirSync(site.box.path('/etc/converge/lock')).toSorted()).toEqual(['beat', 'owner'])
    const locked = await site.converge('apply', '-y')
    expect(locked.code, locked.output).toBe(8)
    expect(locked.output).toMatch(/APPLY\.LOCKED.*--lock-timeout.*converge unlock .*box/s)

    lockOn(site, 12)
    const living = await site.converge('unlock', 'box', '-y', '--living', '--json')
    expect(living.code, living.output).toBe(0)
    expect(JSON.parse(living.stdout)).toMatchObject({
      schema: 'converge/unlock/v1',
      host: 'box',
      lock: { owner: 'op', controller: 'laptop', pid: 4242, run_id: 'run-1', since: holder.since, alive: true },
      removed: true,
    })
    expect(readdirSync(site.box.path('/etc/converge'))).toEqual(['audit.log'])
  })

  it('takes that of a run of this machine away whose process is gone, although it gave a sign of life', async ({ expect }) => {
    await using site = await openLinuxBox(13_572)
    await site.inventory({ flagship: site.flagship() })
    const gone = { owner: 'op', controller: 'laptop', pid: 4242, runId: '20261123T080000Z-0a1b2c', token: 't' }
    lockOn(site, 12, gone)
    expect((await site.converge('unlock', 'box', '-y')).code).toBe(8)
    mkdirSync(join(site.state, 'runs'), { recursive: true, mode: 0o700 })
    const begun = {
      event: 'run-begun',
      format: 1,
      at: '2026-11-23T08:00:00Z',
      run_id: gone.runId,
      ...gone,
      selection: { services: [] },
    }
    const elsewhere = {
      ...begun,
      inventory: { path: '/', digest: '' },
      process: { ...(await thisProcess()), start: '1', pid: 4242 },
    }
    writeFileSync(join(site.state, 'runs', `${gone.runId}.ndjson`), `${JSON.stringify(elsewhere)}\n`)
    const removed = await site.converge('unlock', 'box', '-y')
    expect(removed.code, removed.output).toBe(0)
    expect(removed.stdout).toMatch(/locked by a run that died.*op on laptop.*was removed/s)
  })

  it('takes that of a run that died away', async ({ expect }) => {
    await using site = await openLinuxBox(13_571)
    await site.inventory({ flagship: site.flagship() })
    lockOn(site, 300)
    const dead = await site.converge('unlock', 'box', '-y')
    expect(dead.code, dead.output).toBe(0)
    expect(dead.stdout).toMatch(/locked by a run that died.*op on laptop.*3\d\d s ago.*was removed/s)
    expect(readdirSync(site.box.path('/etc/converge'))).toEqual(['audit.log'])
  })
})
