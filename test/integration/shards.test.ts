import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { writeTinyModel } from '../lab/tiny-model.ts'
import { convergeHere } from '../support/converge-here.ts'
import { program } from '../support/program.ts'
import { type LinuxSite, openLinuxBox } from './linux-site.ts'

let folder: string
/** By the name of the host: `box` is in the first shard of two, `nas` in the second. */
const sites = new Map<string, LinuxSite>()

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shards-'))
  const hosts: Record<string, unknown> = {}
  const knownHosts: string[] = []
  for (const [name, port] of [
    ['box', 13_930],
    ['nas', 13_931],
  ] as const) {
    const site = await openLinuxBox(port)
    sites.set(name, site)
    await writeTinyModel(site.box.path('/srv/models/m.gguf'))
    await site.inventory({
      coder: {
        kind: 'A',
        manager: 'systemd',
        port,
        host: '127.0.0.1',
        model: { path: '/srv/models/m.gguf' },
        executable: '/usr/local/bin/llama-server',
        ctx_size: 2048,
        api_key: { env: 'FLAGSHIP_KEY' },
        ready_timeout: 60,
      },
    })
    hosts[name] = parse(await readFile(join(site.folder, 'fleet.yaml'), 'utf8')).all.hosts.box
    knownHosts.push(/UserKnownHostsFile (\S+)/.exec(await readFile(site.sshConfig, 'utf8'))?.[1] ?? '')
    await holdStarts(site)
  }
  const fleet = { org: 'example', headroom_gb: 1 }
  await writeFile(join(folder, 'fleet.yaml'), stringify({ all: { vars: { fleet }, hosts } }))
  await writeFile(
    join(folder, 'ssh_config'),
    `Host *\n  UserKnownHostsFile ${knownHosts.join(' ')}\n  GlobalKnownHostsFile none\n`,
  )
}, 60_000)

afterAll(async () => {
  for (const site of sites.values()) await site[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** The box's systemctl waits before a start as long as `/run/hold` is there, and says so in `/run/holding`. */
async function holdStarts({ box }: LinuxSite): Promise<void> {
  const [tool, real, file] = ['/usr/bin/systemctl', '/usr/lib/real/systemctl', '/run/hold'].map((path) => box.path(path))
  for (const path of ['/usr/lib/real', '/run']) await mkdir(box.path(path), { recursive: true })
  await rename(tool ?? '', real ?? '')
  await writeFile(
    tool ?? '',
    `#!/bin/sh
case $* in 'enable --now '*) ;; *) exec '${real}' "$@" ;; esac
if [ -e '${file}' ]; then echo $$ >'${file}ing.new' && mv '${file}ing.new' '${file}ing'; fi
while [ -e '${file}' ]; do sleep 0.1; done
exec '${real}' "$@"
`,
    { mode: 0o755 },
  )
  await writeFile(file ?? '', '')
}

const surroundings = () => ({
  env: { FLAGSHIP_KEY: 'k3y/etc/of-the-box', CONVERGE_STATE_DIR: join(folder, 'state'), PATH: process.env['PATH'] },
  cwd: folder,
})

const converge = (...args: readonly string[]) => convergeHere(args, surroundings())

/** In a process of its own, which can be killed. */
const begin = (...args: readonly string[]) =>
  execa(process.execPath, [program, ...args], { ...surroundings(), extendEnv: false, reject: false, stdin: 'ignore' })

/** A command line in this process knows no other folder than that of this process. */
const file = (name: string) => join(folder, name)
const onHosts = () => ['-i', file('fleet.yaml'), '--ssh-config', file('ssh_config')]
const applying = (shard: string) => [
  'apply',
  '-y',
  ...onHosts(),
  '--shard',
  shard,
  '--run-id',
  'monday',
  '--format',
  `json=${file(`${shard[0]}.json`)}`,
]
const at = (host: string, path: string) => sites.get(host)?.box.path(path) ?? ''

test('two shards apply at once on one machine; one is killed, reported as missing, and finished', {
  timeout: 180_000,
}, async () => {
  const [first, second] = [begin(...applying('1/2')), begin(...applying('2/2'))]
  // Each of them has a step under way while the other one has.
  for (const host of ['box', 'nas']) await expect.poll(() => existsSync(at(host, '/run/holding'))).toBe(true)

  second.kill('SIGKILL')
  expect((await second).signal).toBe('SIGKILL')
  const held = readFileSync(at('nas', '/run/holding'), 'utf8').trim()
  process.kill(-Number(readFileSync(`/proc/${held}/stat`, 'utf8').split(' ')[4]), 'SIGKILL')
  for (const host of ['box', 'nas']) await rm(at(host, '/run/hold'))
  const done = await first
  expect(done.exitCode).toBe(0)
  expect(done.stderr).toContain('Shard 1/2: 1 of 2 hosts (--shard, run monday).')
  expect(JSON.parse(await readFile(file('1.json'), 'utf8'))).toMatchObject({
    shard: { index: 1, of: 2, hosts: 1, all_hosts: 2, run_id: 'monday' },
    hosts: [{ host: 'box' }],
  })

  const incomplete = await converge('report', 'merge', file('1.json'))
  expect(incomplete.code).toBe(4)
  expect(incomplete.stdout).toContain('Shard 2/2 is missing: 1 host unknown.')
  const named = await converge('report', 'merge', file('1.json'), '-i', file('fleet.yaml'), '--json')
  expect(JSON.parse(named.stdout).hosts).toMatchObject([
    { host: 'box' },
    { host: 'nas', problem: { code: 'REPORT.SHARD_MISSING' } },
  ])

  const failed = await converge('hosts', '-i', file('fleet.yaml'), '--limit', '@failed')
  expect(failed.stdout).toBe('nas')
  const resumed = await converge('resume', '-y', ...onHosts(), '--run-id', 'monday')
  expect(resumed.code).toBe(0)
  expect(resumed.stdout).toContain('Shard 2/2: 1 of 2 hosts')
  expect((await converge('resume', '-y', ...onHosts(), '--run-id', 'monday')).stdout).toMatch(/nothing|left/i)

  const again = await converge(...applying('2/2'))
  expect(again.code).toBe(0)
  const whole = await converge('report', 'merge', file('1.json'), file('2.json'), '--json')
  expect([whole.code, JSON.parse(whole.stdout)]).toMatchObject([
    0,
    { exit_code: 0, hosts: [{ host: 'box' }, { host: 'nas' }], shards: { of: 2, missing: [], unknown_hosts: 0 } },
  ])
  // Each host knows which shard of which run changed it, and by which only.
  expect(await readFile(at('box', '/etc/converge/audit.log'), 'utf8')).toMatch(/"event":"run-begun".*"shard":"1\/2 of monday"/)
  expect(await readFile(at('nas', '/etc/converge/audit.log'), 'utf8')).not.toContain('1/2 of monday')
})

test('a saved plan keeps its shard and its run, and plays that count hosts are not for shards', async () => {
  const plan = (shard: string, ...more: readonly string[]) =>
    converge('plan', ...more, ...onHosts(), '--shard', shard, '--run-id', 'wave')
  expect((await plan('1/2', '--out', file('wave-1.plan'))).code).toBe(0)
  expect((await plan('2/2', '--out', file('wave-2.plan'))).code).toBe(0)
  const review = await converge('report', 'merge', file('wave-1.plan'), file('wave-2.plan'))
  expect(review.stdout).toContain('Merged from 2 of 2 shards of run wave: 2 of 2 hosts.')
  const applied = await converge('apply', file('wave-2.plan'), '-y', '--ssh-config', file('ssh_config'), '--json')
  expect(applied.code).toBe(0)
  expect(JSON.parse(applied.stdout)).toMatchObject({ shard: { index: 2, of: 2, run_id: 'wave' }, hosts: [{ host: 'nas' }] })
  const other = await converge('apply', file('wave-2.plan'), '-y', '--shard', '1/2')
  expect([other.code, other.stderr]).toMatchObject([64, expect.stringContaining('USAGE.SAVED_PLAN')])

  await writeFile(file('canary.yaml'), stringify([{ hosts: 'all', serial: 1 }]))
  const canary = await converge('apply', file('canary.yaml'), '-y', ...onHosts(), '--shard', '1/2')
  expect([canary.code, canary.stderr]).toMatchObject([64, expect.stringContaining('USAGE.WHOLE_FLEET')])
  expect((await plan('1/2', file('canary.yaml'), '--out', file('canary.plan'))).code).toBe(64)
  expect((await plan('1/2', file('canary.yaml'))).code).toBe(0)
})
