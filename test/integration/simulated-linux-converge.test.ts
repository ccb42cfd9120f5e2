import { readFile, writeFile } from 'node:fs/promises'
import { describe, type ExpectStatic, it } from 'vitest'
import type { LinuxBox } from '../../simulation/linux/box.ts'
import { type LinuxSite, openLinuxBox } from './linux-site.ts'
import type { Ended } from './mac-site.ts'

// Side by side, for what they do most is wait; each has a box and a port of its own.

function actsOn(site: LinuxSite, expect: ExpectStatic) {
  const done = async (args: readonly string[], code = 0): Promise<Ended> => {
    const ended = await site.converge(...args)
    expect(ended.code, ended.told).toBe(code)
    return ended
  }
  return { done, apply: () => done(['apply', '-y']), settled: () => done(['plan', '--detailed-exitcode']) }
}

const server = ({ systemd }: LinuxBox) => systemd.service('flagship.service')

describe.concurrent('a Kind B under systemd', { timeout: 240_000 }, () => {
  it('is installed, proved, and left alone; no path tells where the box really is', async ({ expect }) => {
    await using site = await openLinuxBox(13_500)
    const { done, apply, settled } = actsOn(site, expect)
    await site.inventory({ flagship: site.flagship() })
    const { stdout } = await done(['plan', '--detailed-exitcode'], 2)
    expect(stdout).toContain('+ install flagship')
    expect(stdout).toContain('> start flagship')
    const applied = await apply()
    expect(applied.stdout).toMatch(/flagship {2}works: .*completion/)
    expect(server(site.box)).toMatchObject({ activeState: 'active', restarts: 0 })
    const unit = await readFile(site.box.path('/etc/systemd/system/flagship.service'), 'utf8')
    expect(unit).toContain('EnvironmentFile=/etc/converge/keys/flagship.env\n')
    const quiet = await settled()
    for (const { told } of [applied, quiet]) expect(told).not.toContain(site.box.path('/'))
  })

  it('that is warm keeps running when its context is changed and when it is to stop, until somebody consents', async ({
    expect,
  }) => {
    await using site = await openLinuxBox(13_501)
    const { done, apply, settled } = actsOn(site, expect)
    await site.inventory({ flagship: site.flagship() })
    await apply()
    const { main } = server(site.box)
    await site.inventory({ flagship: site.flagship({ ctx: 8192 }) })
    const refused = await done(['apply', '-y'], 3)
    expect(refused.told).toContain('WARM.RESTART')
    expect(server(site.box).main).toEqual(main)
    expect(await readFile(site.box.path('/etc/systemd/system/flagship.service'), 'utf8')).toContain('--ctx 8192')
    const { stdout } = await done(['drift'])
    expect(stdout).toContain('running.command.--ctx  here 4096, wanted 8192')
    expect(stdout).toContain('it was refused at the last apply and has waited since')

    await site.inventory({ flagship: site.flagship({ ctx: 8192, state: 'stopped' }) })
    expect((await done(['apply', '-y'], 3)).told).toContain('WARM.RESTART')
    await done(['apply', '-y', '--allow', 'WARM.RESTART@flagship@box', '--reason', 'a test'])
    expect(server(site.box)).toMatchObject({ activeState: 'inactive', result: 'success' })
    await settled()

    await site.inventory({ flagship: site.flagship({ state: 'absent' }) })
    await apply()
    expect(server(site.box).unit.loadState).toBe('not-found')
    await settled()
  })

  it('that ends while it loads is taken away again, and its own words say why', async ({ expect }) => {
    await using site = await openLinuxBox(13_502)
    const { done } = actsOn(site, expect)
    await writeFile(site.box.path('/opt/kindb/serve.knobs.json'), JSON.stringify({ loadMs: 500, loadExit: 3 }))
    await site.inventory({ flagship: site.flagship() })
    const { told } = await done(['apply', '-y'], 5)
    expect(told).toContain('RuntimeError: colibri engine exited unexpectedly')
    expect(server(site.box).activeState).not.toBe('active')
  })

  it('is seen as it is on the box, and nothing of this machine is', async ({ expect }) => {
    await using site = await openLinuxBox(13_503, { machine: { memoryBytes: 48 * 1024 ** 3, hostname: 'big' } })
    const { done, apply } = actsOn(site, expect)
    await site.inventory({ flagship: site.flagship() })
    await apply()
    const { stdout } = await done(['facts', '--json'])
    const { facts } = JSON.parse(stdout).hosts[0]
    expect(facts).toMatchObject({
      platform: { value: { hostname: 'big', bootId: site.box.machine.bootId, distribution: 'Debian GNU/Linux 12 (bookworm)' } },
      layout: { value: { user: 'op', home: '/home/op', effectiveUid: 0, root: '/etc/converge' } },
      memory: { value: { totalBytes: 48 * 1024 ** 3 } },
      containers: { value: { engine: null } },
      disks: { '/srv/models/flagship': { value: { totalBytes: site.box.machine.diskBytes } } },
      models: { '/srv/models/flagship': { value: { type: 'directory' } } },
      http: { flagship: { value: { completed: { value: 1 } } } },
    })
    const pid = server(site.box).main?.pid
    const start = ['/usr/bin/python3', '/opt/kindb/serve', 'serve', '--host', '127.0.0.1', '--port', '13503']
    expect(facts.listeners.value).toEqual([
      { address: '127.0.0.1', port: 13_503, process: 'python3', pid: { known: true, value: pid } },
    ])
    expect(facts.residents.value).toMatchObject([
      {
        role: 'B',
        pid,
        ppid: 1,
        user: 'op',
        unit: 'flagship.service',
        argv: [...start, '--model-id', 'flagship', '--ctx', '4096'],
      },
      { role: 'engine', ppid: pid, argv: ['/opt/kindb/colibri', '0'], rssBytes: 18 * 1024 ** 3 },
    ])
    expect(stdout).not.toContain(site.box.path('/'))
  })
})
