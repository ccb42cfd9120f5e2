import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type ExpectStatic, it } from 'vitest'
import type { LinuxBox } from '../../simulation/linux/box.ts'
import { type LinuxSite, openLinuxBox } from './linux-site.ts'
import type { Ended } from './mac-site.ts'

// Side by side, for what they do most is wait; each has a box and a port of its own.

function actsOn(site: LinuxSite, expect: ExpectStatic) {
  const done = async (args: readonly string[], code = 0): Promise<Ended> => {
    const ended = await site.converge(...args)
    expect(ended.code, ended.output).toBe(code)
    return ended
  }
  return { done, apply: () => done(['apply', '-y']) }
}

type Done = ReturnType<typeof actsOn>['done']

const allowed = (service: string) => ['--allow', `WARM.RESTART@${service}`]
const server = ({ systemd }: LinuxBox) => systemd.service('flagship.service')

/** What facts of a box with a flagship say is of the box, and nothing of this machine. */
function areOfTheBox({ box }: LinuxSite, stdout: string, expect: ExpectStatic): void {
  const { facts } = JSON.parse(stdout).hosts[0]
  expect(facts).toMatchObject({
    platform: { value: { hostname: 'big', bootId: box.machine.bootId, distribution: 'Debian GNU/Linux 12 (bookworm)' } },
    layout: { value: { user: 'op', home: '/home/op', effectiveUid: 0, root: '/etc/converge' } },
    memory: { value: { totalBytes: 48 * 1024 ** 3 } },
    containers: { value: { engine: null } },
    disks: { '/srv/models/flagship': { value: { totalBytes: box.machine.diskBytes } } },
    models: { '/srv/models/flagship': { value: { type: 'directory' } } },
    http: { flagship: { value: { completed: { value: 1 } } } },
  })
  const pid = server(box).main?.pid
  const start = ['/usr/bin/python3', '/opt/kindb/serve', 'serve', '--host', '127.0.0.1', '--port', '13500']
  expect(facts.listeners.value).toEqual([
    { address: '127.0.0.1', port: 13_500, process: 'python3', pid: { known: true, value: pid } },
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
  expect(stdout).not.toContain(box.path('/'))
}

/** Runs with another key in the inventory than the server was started with, and then with common words in the key file on the box. */
async function outputIsUnchanged(site: LinuxSite, done: Done, expect: ExpectStatic): Promise<void> {
  const keyOnBox = site.box.path('/etc/converge/keys/flagship.env')
  const kept = join(site.folder, 'facts')
  const look = async () => {
    const planned = await done(['plan', '--json', '-vvv'], 3)
    const gathered = await done(['facts', '--json', '-vvv', '--out', kept])
    const file = await readFile(join(kept, 'box.facts.json'), 'utf8')
    return { planned, gathered, file, output: planned.output + gathered.output + file }
  }
  // Only the server still has the first key: it is read from the host, used, and never shown.
  const before = await look()
  expect(JSON.parse(before.gathered.stdout).hosts[0].facts.http.flagship.value).toMatchObject({
    keyAccepted: { value: false },
    busy: { value: 0 },
  })
  expect(before.output).not.toContain('k3y-of-the-start')

  const written = await readFile(keyOnBox, 'utf8')
  await writeFile(keyOnBox, 'restart\nconverge/plan/v1\nbox\nflagship\n')
  const { planned, gathered, file } = await look()
  await writeFile(keyOnBox, written)
  expect(JSON.parse(planned.stdout)).toMatchObject({
    schema: 'converge/plan/v1',
    hosts: [{ host: 'box', held_back: [{ kind: 'restart', service: 'flagship' }] }],
  })
  expect(JSON.parse(gathered.stdout).hosts[0]).toMatchObject({ host: 'box' })
  expect(JSON.parse(file)).toMatchObject({ schema: 'converge/host-facts/v1', host: 'box' })
}

/** One that is warm keeps running when its context is changed and when it is to stop, until that is approved. */
async function staysWarm(site: LinuxSite, done: Done, expect: ExpectStatic): Promise<void> {
  const { main } = server(site.box)
  await site.inventory({ flagship: site.flagship({ ctx: 8192 }) })
  const refused = await done(['apply', '-y'], 3)
  expect(refused.output).toContain('WARM.RESTART')
  expect(server(site.box).main).toEqual(main)
  expect(await readFile(site.box.path('/etc/systemd/system/flagship.service'), 'utf8')).toContain('--ctx 8192')
  const { stdout } = await done(['drift'])
  expect(stdout).toContain('running.command.--ctx  running: 4096, inventory: 8192')
  expect(stdout).toContain('the last apply refused it')

  await site.inventory({ flagship: site.flagship({ ctx: 8192, state: 'stopped' }) })
  expect((await done(['apply', '-y'], 3)).output).toContain('WARM.RESTART')
  await done(['apply', '-y', '--allow', 'WARM.RESTART@flagship@box', '--reason', 'a test'])
  expect(server(site.box)).toMatchObject({ activeState: 'inactive', result: 'success' })
}

describe.concurrent('a Kind B under systemd', { timeout: 240_000 }, () => {
  it('is installed, proved, shown as on the box, left alone, kept warm, stopped and removed; nothing of this machine is visible', async ({
    expect,
  }) => {
    await using site = await openLinuxBox(13_500, { machine: { memoryBytes: 48 * 1024 ** 3, hostname: 'big' } })
    const { done, apply } = actsOn(site, expect)
    await site.inventory({ flagship: site.flagship() })
    const applied = await apply()
    expect(applied.stdout).toMatch(/install flagship[^]*start flagship[^]*flagship {2}verified: .*chat[^]*A second plan is empty/)
    expect(applied.output).not.toContain(site.box.path('/'))
    expect(server(site.box)).toMatchObject({ activeState: 'active', restarts: 0 })
    const unit = await readFile(site.box.path('/etc/systemd/system/flagship.service'), 'utf8')
    expect(unit).toContain('EnvironmentFile=/etc/converge/keys/flagship.env\n')
    areOfTheBox(site, (await done(['facts', '--json'])).stdout, expect)

    const endpoints = (code = 0) => done(['endpoints', '--on', 'box', '--healthy', '--json'], code)
    const listed = await endpoints()
    const [endpoint] = JSON.parse(listed.stdout).endpoints
    expect(endpoint).toMatchObject({
      service: 'flagship',
      base_url: 'http://127.0.0.1:13500/v1',
      key: { variable: 'FLAGSHIP_KEY' },
    })
    expect(listed.output).not.toContain('k3y/etc/of-the-box')
    expect((await done(['endpoints'])).output).toContain('flagship@box (listening on 127.0.0.1, which only its own host reaches)')
    await staysWarm(site, done, expect)
    await site.inventory({ flagship: site.flagship() })
    expect((await endpoints()).output).toContain('Not listed: flagship@box (stopped)')
    await site.inventory({ flagship: site.flagship() }, {}, { ansible_port: 1 })
    const unreached = await endpoints(4)
    expect(JSON.parse(unreached.stdout).endpoints).toEqual([])
    expect(unreached.output).toContain('box  unreachable')
    expect(unreached.output).toContain('Not listed: flagship@box (its host was not reached)')

    await site.inventory({ flagship: site.flagship({ state: 'absent' }) })
    await apply()
    expect(server(site.box).unit.loadState).toBe('not-found')
  })

  it('is in a list of endpoints on its host, which is not taken from others, and is restored if no client reads it', async ({
    expect,
  }) => {
    await using site = await openLinuxBox(13_509)
    const { done } = actsOn(site, expect)
    const list = '/etc/clients/list'
    const wants = (reload: readonly string[], format = 'json') =>
      site.inventory({ flagship: site.flagship() }, { endpoints: [{ host: 'box', path: list, format, reload }] })
    const reads = ['cp', list, '/etc/read']
    const onBox = (path: string) => readFile(site.box.path(path), 'utf8')
    const inFolder = () => readdir(site.box.path('/etc/clients'))
    const isDrift = async () => expect((await done(['drift'], 2)).stdout).toContain(`endpoints ${list}`)

    await mkdir(site.box.path('/etc/clients'))
    await writeFile(site.box.path(list), 'mine\n')
    await wants(reads)
    expect((await done(['apply', '-y'], 3)).output).toContain('DEFINITION.FOREIGN')
    expect(await onBox(list)).toBe('mine\n')
    await done(['apply', '-y', '--allow', 'DEFINITION.FOREIGN@(host)@box', '--reason', 'a test'])
    const written = await onBox(list)
    expect(JSON.parse(written).endpoints).toMatchObject([{ service: 'flagship', base_url: 'http://127.0.0.1:13509/v1' }])
    expect(await onBox('/etc/read')).toBe(written)
    expect(await inFolder()).toEqual(['list'])

    // The client cannot read the new list.
    await wants(['false'], 'env')
    expect((await done(['apply', '-y'], 5)).output).toContain('reload: false')
    expect(await onBox(list)).toBe(written)
    expect(await inFolder()).toEqual(['list'])

    // A run was cut off between writing and reloading.
    await wants(reads)
    await writeFile(site.box.path('/etc/read'), '')
    await writeFile(site.box.path(`${list}.converge-previous`), '')
    await isDrift()
    await done(['apply', '-y'])
    expect(await onBox('/etc/read')).toBe(written)
    expect(await inFolder()).toEqual(['list'])

    const client = join(import.meta.dirname, '../support/client-double.ts')
    const words = ['env', `FLAGSHIP_KEY=${site.env['FLAGSHIP_KEY']}`, process.execPath, client, site.box.path(list), '--once']
    await site.inventory({ flagship: site.flagship() }, { client: { reload: words } })
    expect((await done(['verify'])).stdout).toMatch(/verified: .*client/)
  })

  it('whose key is rotated is asked with the one that it was started with, which goes once it is restarted; keys change no output', async ({
    expect,
  }) => {
    await using site = await openLinuxBox(13_505)
    const { done, apply } = actsOn(site, expect)
    const [key, held] = [join(site.folder, 'key'), site.box.path('/etc/converge/keys/flagship.env.converge-running')]
    const rotate = (to: string) => writeFile(key, to, { mode: 0o600 })
    const completed = async () => {
      const { stdout } = await done(['facts', '--json'])
      return JSON.parse(stdout).hosts[0].facts.http.flagship.value.completed
    }
    await rotate('k3y-of-the-start')
    await site.inventory({ flagship: site.flagship({ api_key: { file: key } }) })
    await apply()
    const { main } = server(site.box)
    await rotate('k3y-of-today')
    await outputIsUnchanged(site, done, expect)
    for (const next of ['k3y-of-today', 'k3y-of-tomorrow']) {
      await rotate(next)
      expect((await done(['apply', '-y'], 3)).output).toContain('WARM.RESTART')
      expect(await readFile(held, 'utf8')).toContain('k3y-of-the-start')
    }
    expect((await stat(held)).mode & 0o777).toBe(0o600)
    expect(await completed()).toMatchObject({ known: true, value: 1 })
    expect(server(site.box).main).toEqual(main)
    await done(['apply', '-y', '--allow', 'WARM.RESTART@flagship@box', '--reason', 'a test'])
    expect(existsSync(held)).toBe(false)
  })

  it('swaps its port with another one when it is approved: one of them is down for a while', async ({ expect }) => {
    await using site = await openLinuxBox(13_507, { machine: { memoryBytes: 64 * 1024 ** 3 } })
    const { done, apply } = actsOn(site, expect)
    const both = (flagship: number, second: number) =>
      site.inventory({ flagship: site.flagship({ port: flagship }), second: site.flagship({ port: second, alias: 'second' }) })
    await both(13_507, 13_508)
    await apply()
    await both(13_508, 13_507)
    expect((await done(['apply', '-y'], 3)).output).toContain('PORT.TAKEN')
    const swapped = await done(['apply', '-y', ...['flagship', 'second'].flatMap(allowed), '--reason', 'a test'])
    expect(swapped.stdout).toMatch(/second {2}verified: .*chat/)
    const commandOf = (unit: string) => readFile(site.box.path(`/etc/systemd/system/${unit}.service`), 'utf8')
    expect(await commandOf('flagship')).toContain('--port 13508')
    expect(await commandOf('second')).toContain('--port 13507')
  })

  it('that exits while it loads is removed again, and its own output says why', async ({ expect }) => {
    await using site = await openLinuxBox(13_502)
    const { done } = actsOn(site, expect)
    await writeFile(site.box.path('/opt/kindb/serve.knobs.json'), JSON.stringify({ loadMs: 500, loadExit: 3 }))
    await site.inventory({ flagship: site.flagship() })
    const { output } = await done(['apply', '-y'], 5)
    expect(output).toContain('RuntimeError: colibri engine exited unexpectedly')
    expect(server(site.box).activeState).not.toBe('active')
  })
})
