import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { createKey } from '../keys.ts'
import { noLab } from '../lab-hosts.ts'
import type { Outcome } from './converge.ts'
import { until } from './model-server.ts'
import { expectExit, expectWords, kindA, kindB, machine, openSite, type Site } from './site.ts'

const scripts = fileURLToPath(new URL('../../../scripts/', import.meta.url))
const looks = ['plan', 'facts', 'status', 'drift', 'verify', 'logs'] as const

/**
 * Names, kinds, modes, owners, sizes, times and links of whatever is no log, and what stands in files that people or programs change. A
 * Kind B keeps count of its answers beside its model, and an engine that asks a container for its health leaves the time of that on /tmp
 * and, for a moment, a file there with the orders for runc. containerd collects garbage in its database.
 */
const ofServers =
  '-path /var/log -prune -o -name "*-json.log" -o -path "/srv/models/flagship*" -o -path "/tmp/runc-process*" -o -path "*/io.containerd.metadata.v1.bolt/meta.db"'
const files = `find /etc /home /root /opt /srv /usr /tmp/* /tmp/.[!.]* /var ${ofServers} -o -printf '%p %y %m %U:%G %s %T@ %l\\n' 2>/dev/null
find /etc /home /root /opt /srv /var/lib -path /var/lib/docker -prune -o ${ofServers} -o -type f -exec sha256sum {} +`

/** What root might try behind a key that only looks; none of it may end well. */
const slips = [
  'echo x >/etc/converge/x',
  'echo x >/tmp/x',
  'echo 1 >/proc/sys/vm/drop_caches',
  'rm -rf /etc/converge',
  'mount -o remount,rw /',
  'unshare --mount true',
  'nsenter --target 1 --mount true',
  'kill "$(cat /run/sshd.pid)"',
  'mknod /dev/disk b 8 0',
  'ctr --connect-timeout 1s version',
]

/** Each test continues from the one before it: a machine with running servers, observed with a read-only key. */
describe.skipIf(noLab)('verbs that only look', () => {
  let lab: Lab
  let ordinary: Site
  let looking: Site
  let seen: ReadonlyMap<string, string>

  beforeAll(async () => {
    lab = await startLab([
      { name: 'nas', kind: 'nas' },
      { name: 'box', kind: 'box' },
    ])
    ordinary = await openSite(lab.sshConfigFile)
    looking = await openSite(await keyThatOnlyLooks(lab))
    await write(ordinary)
    await write(looking)
    expectExit(await ordinary.run(['apply', '-y']), 0)
  })

  afterAll(async () => {
    await ordinary?.dispose()
    await looking?.dispose()
    await lab?.stop()
  })

  it('leave every file as it was', async () => {
    const before = await filesOf(lab)
    seen = await lookAround(ordinary)
    expect(await changedSince(lab, before)).toEqual([])
  })

  it('report the same with a read-only key', async () => {
    const before = await filesOf(lab)
    const behindKey = await lookAround(looking)
    expect(await changedSince(lab, before)).toEqual([])
    expect(behindKey.get('plan')).toBe(seen.get('plan'))
    expect(behindKey.get('status')).toBe(seen.get('status'))
    expect(behindKey.get('drift')).toBe(seen.get('drift'))
    expect(behindKey.get('logs')).toMatch(/^coder@nas {4}\| .*listening/m)
    expect(behindKey.get('logs')).toMatch(/^flagship@box \| ./m)
    expect(behindKey.get('verify')?.match(/· owns its port$/gm)).toHaveLength(2)
  })

  it('apply says with such a key that it cannot write, and changes nothing', async () => {
    const before = await filesOf(lab)
    await write(looking, { ctx_size: 1024, ctx: 8192 })
    const applied = await looking.run(['apply', '-y', '--allow', 'WARM.RESTART@*', '--reason', 'a test'])
    await write(looking)
    expectWords(applied.transcript, ['exit code 5', 'APPLY.LOCK_UNUSABLE', /read-only for this account/, 'Done: 0 applied'])
    expect(await changedSince(lab, before)).toEqual([])
  })

  it('such a key opens no shell, and root behind it reaches no file, process, mount or device', async () => {
    expect(await ssh(looking, 'nas')).toMatchObject({ exitCode: 126, stderr: expect.stringMatching('there is no shell') })
    const tries = slips.map((slip) => `if ( ${slip} ) >/dev/null 2>&1; then echo '${slip}'; fi`).join('\n')
    expect(await ssh(looking, 'nas', `${tries}\nid -u`)).toMatchObject({ exitCode: 0, stdout: '0' })
  })

  it('can be kept from Docker’s socket as well, and still sees the containers', async () => {
    const nas = lab.host('nas')
    await nas.copyIn(join(scripts, 'converge-look-docker'), '/usr/local/sbin')
    await mustExec(nas, 'systemd-run --quiet --unit converge-look-docker /usr/local/sbin/converge-look-docker')
    await mustExec(nas, 'until [ -S /run/converge-look/docker.sock ]; do sleep 0.1; done')
    const refused = { stderr: expect.stringMatching('this socket only looks') }
    for (const words of ['stop coder', 'exec coder true', 'cp coder:/etc/passwd -', 'run --rm --privileged coder'])
      expect(await ssh(looking, 'nas', `docker ${words}`)).toMatchObject(refused)
    expectExit(await looking.run(['verify', '--limit', 'nas']), 0)
    expect((await looking.run(['logs', 'coder'])).stdout).toContain('listening')
    expect((await looking.run(['plan'])).stdout).toBe(seen.get('plan'))
  })
})

function write(site: Site, more: object = {}): Promise<void> {
  const { ctx_size, ctx } = { ctx_size: 2048, ctx: 16_384, ...more }
  return site.write({ nas: machine({ coder: kindA({ ctx_size }) }), box: machine({ flagship: kindB({ ctx }) }) })
}

/** Sets up the hosts as docs/read-only.md says; the ssh config of who has that key and no other. */
async function keyThatOnlyLooks(lab: Lab): Promise<string> {
  const key = await createKey(lab.directory, 'looking')
  const [forced] = /^restrict,.*"$/m.exec(await readFile(join(scripts, '../docs/read-only.md'), 'utf8')) ?? []
  for (const host of lab.hosts) {
    await host.copyIn(join(scripts, 'converge-look'), '/usr/local/sbin')
    await mustExec(
      host,
      'install -d -m 700 -o op /home/op/.ssh && cat >/home/op/.ssh/authorized_keys && chown op /home/op/.ssh/authorized_keys',
      {
        stdin: `${forced} ${key.publicKey}`,
      },
    )
  }
  const config = join(lab.directory, 'looking_config')
  const text = await readFile(lab.sshConfigFile, 'utf8')
  await writeFile(config, text.replaceAll(/^( *IdentityFile) .*$/gm, `$1 ${key.file}`))
  return config
}

async function filesOf(lab: Lab): Promise<ReadonlySet<string>> {
  const lists = await Promise.all(
    lab.hosts.map(async (host) => (await mustExec(host, files)).split('\n').map((line) => `${host.name} ${line}`)),
  )
  return new Set(lists.flat())
}

/** What is changed for good; the engine of a NAS touches files of its own now and then. */
async function changedSince(lab: Lab, before: ReadonlySet<string>): Promise<readonly string[]> {
  const look = async () => {
    const now = await filesOf(lab)
    return [...[...before].filter((line) => !now.has(line)), ...[...now].filter((line) => !before.has(line))]
  }
  return until(look, (lines) => lines.length === 0, 3000)
}

/** The output of each verb. */
async function lookAround(site: Site): Promise<ReadonlyMap<string, string>> {
  const outputs = new Map<string, string>()
  for (const verb of looks) outputs.set(verb, expectExit(await site.run([verb]), 0).stdout)
  return outputs
}

async function ssh(site: Site, host: string, command?: string): Promise<Pick<Outcome, 'exitCode' | 'stdout' | 'stderr'>> {
  const [, , , , config = ''] = site.arguments(['plan'])
  const words = ['-F', config, host, ...(command === undefined ? [] : [command])]
  const { exitCode, stdout, stderr } = await execa('ssh', words, { reject: false, stdin: 'ignore' })
  return { exitCode: exitCode ?? -1, stdout, stderr }
}
