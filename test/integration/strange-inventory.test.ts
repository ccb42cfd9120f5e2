import { execFileSync } from 'node:child_process'
import { appendFile, chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { stringify } from 'yaml'
import { convergeHere } from '../support/converge-here.ts'
import { program } from '../support/program.ts'
import { systemCalls, tracing } from '../support/system-calls.ts'

const root = join(import.meta.dirname, '../..')

/** What Node, libc and the system's clock open by themselves, and converge. */
const own = [
  /^\/(?:proc|sys)\//,
  /^\/dev\/(?:null|urandom|random)$/,
  /^\/(?:usr\/)?lib/,
  /^\/etc\/(?:ld\.so\.|localtime$|ssl\/openssl\.cnf$)/,
  /^\/usr\/share\/zoneinfo\//,
]

interface Traced {
  readonly code: number | undefined
  readonly output: string
  readonly started: readonly string[]
  readonly opened: readonly string[]
  readonly connected: readonly string[]
}

const service = (port: number, more: object) => ({
  kind: 'A',
  manager: 'systemd',
  port,
  model: { path: '/srv/models/m.gguf' },
  executable: '/usr/bin/llama-server',
  host: '127.0.0.1',
  ctx_size: 4096,
  ...more,
})

/** A foreign checkout, on a machine with private files. */
describe.skipIf(process.platform !== 'linux')('an untrusted inventory with a facts snapshot', { timeout: 120_000 }, () => {
  let folder: string
  const at = (...names: readonly string[]) => join(folder, ...names)
  const ran = () => at('ran')

  const touch = () => ({ command: ['touch', ran()] })

  const write = async (services: object, { fleet = {}, host = {} }: { fleet?: object; host?: object } = {}) => {
    await writeInventory({ h1: { ansible_connection: 'local', ...host, services }, h2: null }, fleet)
  }

  const writeInventory = async (hosts: object, fleet: object = {}) => {
    const all = { vars: { fleet: { org: 'example', ...fleet } }, hosts }
    await rm(at('checkout/fleet'), { recursive: true, force: true })
    await mkdir(at('checkout/fleet'))
    await writeFile(at('checkout/fleet/hosts.yaml'), stringify({ all }))
  }

  const traced = async (...args: readonly string[]): Promise<Traced> => {
    await rm(ran(), { force: true })
    const [strace, ...words] = await tracing(at('trace'))
    const { exitCode, all } = await execa(strace, [...words, process.execPath, program, ...args], {
      cwd: at('checkout'),
      env: {
        PATH: process.env['PATH'],
        HOME: at('home'),
        CONVERGE_STATE_DIR: at('home/state'),
        ANSIBLE_VAULT_PASSWORD_FILE: at('home/vault-password'),
        CODER_KEY: 'k3y-of-the-job',
      },
      extendEnv: false,
      reject: false,
      all: true,
      stdin: 'ignore',
    })
    const lines = await systemCalls(at('trace'))
    const calls = (what: RegExp) => lines.filter((line) => what.test(line))
    return {
      code: exitCode,
      output: `exit ${exitCode}\n${all}`,
      // Node itself is the first; threads are none.
      started: calls(/^(?:execve|execveat|fork|vfork|clone3?)\(/).filter((line) => !line.includes('CLONE_THREAD')),
      opened: calls(/^(?:open|openat|openat2|creat)\(/).map((line) => /"([^"]*)"/.exec(line)?.[1] ?? line),
      connected: calls(/^connect\(/),
    }
  }

  const strange = (paths: readonly string[]) => {
    const places = ['checkout/fleet', 'checkout/facts', 'checkout/site.yaml', 'home/state', 'home/.cache/converge'].map((name) =>
      at(name),
    )
    const known = [...places, root, process.execPath]
    return paths
      .map((path) => (path.startsWith('/') ? path : at('checkout', path)))
      .filter((path) => !known.some((place) => path === place || path.startsWith(`${place}/`)))
      .filter((path) => !own.some((pattern) => pattern.test(path)))
  }

  const hostile = () => {
    const keys = [
      touch(),
      { command: ['cat', '/dev/zero'] },
      { command: ['sh', '-c', `sleep 300 & touch ${ran()}`] },
      { file: at('home/fifo') },
      { file: '/dev/zero' },
      { file: at('home/key') },
      { file: 'link-to-key' },
    ]
    const services = keys.map((api_key, index) => [`s${index}`, service(9990 + index, { api_key })])
    return { ...Object.fromEntries(services), plain: service(9980, { api_key: { env: 'CODER_KEY' } }) }
  }
  const everywhere = () => ({
    fleet: {
      notify: [{ command: ['touch', ran()] }, { webhook: { file: at('home/key') } }],
      client: { reload: ['touch', ran()] },
    },
    host: {
      ansible_become: true,
      ansible_become_password: { command: ['touch', ran()] },
      ansible_ssh_private_key_file: at('home/fifo'),
    },
  })

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'strange-')))
    for (const name of ['checkout', 'home']) await mkdir(at(name))
    await writeFile(at('home/key'), 's3cret-of-the-machine', { mode: 0o600 })
    await writeFile(at('home/vault-password'), `#!/bin/sh\ntouch ${ran()}\necho pw\n`)
    await chmod(at('home/vault-password'), 0o700)
    execFileSync('mkfifo', [at('home/fifo')])
    // What was found where the hosts can be reached, with an inventory that was looked at.
    await write({ plain: service(9980, { api_key: { env: 'CODER_KEY' } }) }, { host: { ansible_become: true } })
    const words = ['facts', '-i', at('checkout/fleet'), '-l', 'h1', '--out', at('checkout/facts')]
    const env = { PATH: process.env['PATH'], HOME: at('home'), CODER_KEY: 'k3y-of-the-job' }
    const gathered = await convergeHere(words, { env, cwd: at('checkout') })
    if (gathered.code !== 0) throw new Error(gathered.stderr)
  }, 60_000)
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('runs nothing of it, and opens no file but its own', async ({ expect }) => {
    await write(hostile(), everywhere())
    await symlink(at('home/key'), at('checkout/fleet/link-to-key'))
    await writeFile(at('checkout/site.yaml'), '- hosts: h1\n')
    await appendFile(at('checkout/fleet/hosts.yaml'), '')
    for (const words of [['plan', 'site.yaml'], ['drift']]) {
      const { output, code, started, opened, connected } = await traced(...words, '-i', 'fleet', '--facts', 'facts')
      expect([3, 4], output).toContain(code)
      expect(started, output).toHaveLength(1)
      expect(strange(opened), output).toEqual([])
      expect(connected, output).toEqual([])
      expect(
        opened.some((path) => path.endsWith('facts/h1.facts.json')),
        output,
      ).toBe(true)
      expect(output).toContain('s0 on h1 (output of `touch ')
      expect(output).not.toContain('k3y-of-the-job')
    }
    const { output } = await traced('plan', '-i', 'fleet', '--facts', 'facts', '--json')
    for (const name of ['s0', 's3', 's5']) expect(output).toMatch(new RegExp(`KEY\\.NOT_ASKED[^]*"service": "${name}"`))
  })

  it('shows nothing through links, and terminates', async ({ expect }) => {
    await write({ ...hostile(), bom: service(9970, { alias: 'a\uFEFFb' }) }, everywhere())
    await mkdir(at('checkout/fleet/host_vars'))
    await symlink(at('home/key'), at('checkout/fleet/host_vars/h2.yaml'))
    for (const name of ['a', 'b', 'c', 'd']) await symlink('.', at('checkout/fleet/host_vars', name))
    await symlink(at('home'), at('checkout/fleet/group_vars'))
    const { output, code, started, opened } = await traced('plan', '-i', 'fleet', '--facts', 'facts')
    expect(code, output).toBe(65)
    expect(started, output).toHaveLength(1)
    expect(strange(opened), output).toEqual([])
    expect(output).not.toContain('s3cret')
    expect(output).toContain('This link leads outside the inventory')
  })

  it('is not followed out of its folder by verbs that ask no host for themselves, if one says so', async ({ expect }) => {
    await write({ plain: service(9980, {}) })
    await symlink(at('home/key'), at('checkout/fleet/key.yaml'))
    for (const words of [
      ['report', 'merge', 'part.json', '-i', 'fleet', '--no-secret-commands'],
      ['resume', '--no-secret-commands', '--confirm'],
      ['schedule', 'cron', '--every', '1h', '--', 'plan', '-i', 'fleet', '--no-secret-commands'],
    ]) {
      if (words[0] === 'resume') await symlink('/etc', at('checkout/inventories'))
      const { output, code, started, opened } = await traced(...words)
      await rm(at('checkout/inventories'), { force: true })
      expect(code, output).toBe(65)
      expect(started, output).toHaveLength(1)
      // Who resumes a run is looked up by the system.
      expect(
        strange(opened).filter((path) => !/^\/etc\/(passwd|nsswitch\.conf)$/.test(path)),
        output,
      ).toEqual([])
      expect(output).toContain('This link leads outside the inventory')
    }
  })

  it('has no folder of the machine listed where it is not said which inventory is meant', async ({ expect }) => {
    await symlink('/etc', at('checkout/inventories'))
    for (const how of [['--facts', 'facts'], ['--no-secret-commands']]) {
      const { output, code, started, opened } = await traced('plan', ...how)
      expect(code, output).toBe(65)
      expect(started, output).toHaveLength(1)
      expect(strange(opened), output).toEqual([])
      expect(output).toContain('This link leads outside the inventory')
      expect(output).not.toMatch(/ssh|ssl|alternatives/)
    }
    await rm(at('checkout/inventories'))
  })

  it('is not asked for its playbook or its hosts through links either', async ({ expect }) => {
    await write({ plain: service(9980, { api_key: { env: 'CODER_KEY' } }) })
    await symlink(at('home/key'), at('checkout/linked.yaml'))
    for (const [more, code] of [
      [['linked.yaml'], 65],
      [['--limit', '@linked.yaml'], 64],
    ] as const) {
      const traces = await traced('plan', ...more, '-i', 'fleet', '--facts', 'facts')
      expect(traces.code, traces.output).toBe(code)
      expect(traces.started, traces.output).toHaveLength(1)
      expect(strange(traces.opened), traces.output).toEqual([])
      expect(traces.output).not.toContain('s3cret')
    }
  })

  it('runs its commands if a person declares it trusted', async ({ expect }) => {
    await write({ coder: service(9990, { api_key: touch() }) }, { host: { ansible_become: true } })
    const { output, started } = await traced('plan', '-i', 'fleet', '--facts', 'facts', '--run-secret-commands')
    expect(started.join('\n'), output).toContain('touch')
    expect(output).toMatch(/KEY\.MISSING/)
    const both = await traced('plan', '-i', 'fleet', '--facts', 'facts', '--run-secret-commands', '--no-secret-commands')
    expect(both.code, both.output).toBe(64)
  })

  it('runs, reads and sends nothing on a live plan either, if requested', async ({ expect }) => {
    const serve = at('checkout/serve')
    await writeFile(serve, `#!/bin/sh\ntouch ${ran()}\n`)
    await chmod(serve, 0o755)
    const ssh = { ansible_connection: 'ssh', ansible_host: '127.0.0.1' }
    const hosts = [
      { ansible_connection: 'local' },
      ...['ProxyCommand=', '"ProxyCommand" ', 'Proxy"Command" ', '=ProxyCommand ', '"KnownHostsCommand" '].map((option) => ({
        ...ssh,
        ansible_ssh_common_args: `-o '${option}touch ${ran()}'`,
      })),
      { ...ssh, ansible_ssh_common_args: '-o SendEnv=*' },
      { ...ssh, ansible_ssh_private_key_file: '${CODER_KEY}' },
    ]
    const services = { plain: service(9980, { api_key: { env: 'CODER_KEY' }, executable: serve }) }
    // All on this machine, which one with another port is not.
    await writeInventory(
      Object.fromEntries(hosts.map((host, index) => [`h${index}`, { ansible_port: 9 + index, ...host, services }])),
    )
    const { output, started } = await traced('plan', '-i', 'fleet', '--no-secret-commands', '--no-notify', '--json')
    expect(started, output).toHaveLength(1)
    const refused: readonly object[] = JSON.parse(/^\{[^]*^\}/m.exec(output)?.[0] ?? '').hosts
    expect(refused, output).toMatchObject(
      hosts.map((_, index) => ({ host: `h${index}`, problem: { code: 'CONNECT.UNTRUSTED' } })),
    )
    expect(output).not.toContain('k3y-of-the-job')
  })
})
