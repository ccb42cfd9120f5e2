import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesSent } from '../../support/fake-hub/asked.ts'
import { type FakeHub, startFakeHub } from '../../support/fake-hub.ts'
import { docker } from '../docker.ts'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { command } from './converge.ts'
import { processesOf } from './model-server.ts'
import { expectExit, expectWords, kindA, machine, openSite, type Site } from './site.ts'

const shards = ['tiny-00001-of-00003.gguf', 'tiny-00002-of-00003.gguf', 'tiny-00003-of-00003.gguf']
const large = { bytes: 3_000_000, seed: 'large' }

/** Models from a hub on this machine, onto hosts that have nothing but sshd and what a Debian or a NAS has. */
describe.skipIf(noLab)('models that come from a hub', () => {
  let lab: Lab
  let site: Site
  let hub: FakeHub
  let address = ''
  const content = new Map<string, Buffer>()

  const source = (repo: string, files?: readonly string[]) => ({ repo, hub: address, ...(files === undefined ? {} : { files }) })
  const served = (host: string, folder: string, more: Readonly<Record<string, unknown>> = {}) =>
    site.write({
      [host]: machine(
        {
          coder: kindA({
            manager: 'systemd',
            executable: '/usr/bin/llama-server',
            model: { path: `${folder}/${shards[0]}`, source: source('org/tiny') },
          }),
        },
        more,
      ),
    })
  const fetch = (...args: readonly string[]) => site.run(['fetch', ...args])
  const expected = () =>
    shards
      .map(
        (name) =>
          `${createHash('sha256')
            .update(content.get(name) ?? '')
            .digest('hex')}  ${name}\n`,
      )
      .join('')

  beforeAll(async () => {
    lab = await startLab([
      { name: 'metal', kind: 'metal' },
      { name: 'busybox', kind: 'busybox' },
    ])
    const folder = join(lab.directory, 'models/tiny-sharded')
    for (const [name, bytes] of await Promise.all(shards.map(async (one) => [one, await readFile(join(folder, one))] as const)))
      content.set(name, bytes)
    hub = await startFakeHub(
      {
        'org/tiny': { at: { main: 'a'.repeat(40) }, files: Object.fromEntries(content) },
        'org/large': { at: { main: 'b'.repeat(40) }, files: { 'large.gguf': large } },
      },
      { host: '0.0.0.0' },
    )
    const gateway = await mustExec(lab.host('metal'), "ip -4 route | awk '/^default/ { print $3 }'")
    address = `http://${gateway.trim()}:${new URL(hub.url).port}`
    site = await openSite(lab.sshConfigFile)
  })

  afterAll(async () => {
    await site?.dispose()
    await hub?.[Symbol.asyncDispose]()
    await lab?.stop()
  })

  it('come over kill -9 of converge, kill -9 of the job and a restart of the host, and then serve', async () => {
    const metal = lab.host('metal')
    const folder = '/srv/models/fetched'
    await served('metal', folder)
    const before = expectExit(await site.run(['plan']), 3)
    expectWords(before.stdout, ['MODEL.MISSING', 'converge fetch --limit metal --service coder'])

    hub.behaveFor('cdn', { slow: 8000 })
    const [file = '', ...words] = command
    const following = execa(file, [...words, ...site.arguments(['fetch', '--follow'])], {
      env: site.environment(),
      extendEnv: false,
      cwd: site.home,
      stdin: 'ignore',
      reject: false,
    })
    await arrives(metal, folder, 15_000)
    following.kill('SIGKILL')
    expect((await following).signal).toBe('SIGKILL')
    await arrives(metal, folder, 25_000)
    await mustExec(metal, "kill -9 $(cut -d ' ' -f 1 /etc/converge/fetch/*/process)")
    expectWords(expectExit(await fetch('status'), 0).stdout, ['to fetch: 0 of 3 files complete'])
    expectExit(await fetch('--detach'), 0)
    await arrives(metal, folder, 73_760 + 4000)
    await restart(lab, metal)
    expectWords(expectExit(await fetch('--follow'), 0).stdout, ['complete: 3 files'])

    expect(await digests(metal, folder)).toBe(expected().trim())
    for (const name of shards) {
      const { sent, distinct } = bytesSent(hub.askedAnywhere, `org/tiny/${name}`)
      expect(distinct).toBe(content.get(name)?.length)
      // What was on its way when something was killed.
      expect(sent - distinct).toBeLessThan(10_000)
    }
    expectExit(await site.run(['apply', '-y']), 0)
    expect(await processesOf(metal, '^[^ ]*llama-server --')).toHaveLength(1)
    expectWords(expectExit(await fetch('--check'), 0).stdout, ['complete: 3 files'])
  })

  it('come by the wget of a host that has BusyBox for everything', async () => {
    const busybox = lab.host('busybox')
    const folder = '/home/op/models/fetched'
    await served('busybox', folder, { ansible_become: false })
    hub.behaveFor('cdn', { slow: 20_000 })
    expectExit(await fetch('--detach'), 0)
    await expect.poll(async () => (await fetch('status')).stdout, { timeout: 60_000 }).toContain('1 of 3 files complete')
    await mustExec(busybox, "kill -9 -$(cut -d ' ' -f 1 /home/op/.config/converge/fetch/*/process)")
    expectWords(expectExit(await fetch('--follow'), 0).stdout, ['complete: 3 files'])
    expect(await digests(busybox, folder)).toBe(expected().trim())
  })

  it('are refused where they do not fit, and go on where somebody filled the disk meanwhile', async () => {
    const metal = lab.host('metal')
    await site.write({
      metal: machine({
        coder: kindA({
          manager: 'systemd',
          executable: '/usr/bin/llama-server',
          model: { path: '/srv/small/large.gguf', source: source('org/large') },
        }),
      }),
    })
    await mustExec(metal, 'mkdir /srv/small && mount -t tmpfs -o size=2m tmpfs /srv/small')
    expectWords(expectExit(await fetch('--follow'), 3).stdout, ['MODEL.NO_SPACE', 'Nothing was fetched'])
    expect(await mustExec(metal, 'ls -A /srv/small')).toBe('')

    await mustExec(metal, 'mount -o remount,size=6m /srv/small')
    hub.behaveFor('cdn', { slow: 500_000 })
    expectExit(await fetch('--detach'), 0)
    await arrives(metal, '/srv/small', 500_000)
    await mustExec(
      metal,
      'dd if=/dev/zero of=/srv/filler bs=1M count=8 2>/dev/null; cp /srv/filler /srv/small/filler 2>/dev/null || :',
    )
    await expect.poll(async () => (await fetch('status')).stdout, { timeout: 60_000 }).toContain('MODEL.NO_SPACE')
    expect(await mustExec(metal, 'ls /srv/small')).not.toMatch(/large\.gguf$/m)
    const kept = Number(await mustExec(metal, 'cat /srv/small/large.gguf.*.p* | wc -c'))
    expect(kept).toBeGreaterThan(500_000)

    await mustExec(metal, 'rm /srv/small/filler')
    hub.behaveFor('cdn', {})
    expectWords(expectExit(await fetch('--follow'), 0).stdout, ['complete: one file'])
    const { sent, distinct } = bytesSent(hub.askedAnywhere, 'org/large/large.gguf')
    expect(distinct).toBe(large.bytes)
    expect(sent - distinct).toBeLessThan(large.bytes - kept)
    await mustExec(metal, 'umount /srv/small')
  })

  it('fail with words where the account may not write, and stop without touching anything else', async () => {
    const busybox = lab.host('busybox')
    await mustExec(busybox, 'mkdir -p /srv/locked')
    await served('busybox', '/srv/locked/tiny', { ansible_become: false })
    expectWords(expectExit(await fetch('--follow'), 5).stdout, ['FETCH.UNWRITABLE'])
    expect(await mustExec(busybox, 'ls -A /srv/locked')).toBe('')

    await served('busybox', '/home/op/models/stopped', { ansible_become: false })
    await mustExec(busybox, "printf '#!/bin/sh\\nsleep 600\\n' >/tmp/wget && chmod +x /tmp/wget")
    await mustExec(busybox, '(setsid /tmp/wget >/dev/null 2>&1 &); :')
    hub.behaveFor('cdn', { slow: 4000 })
    expectExit(await fetch('--detach'), 0)
    const [one, other] = await Promise.all([fetch('--detach'), fetch('--detach')])
    expectExit(one, 0)
    expectExit(other, 0)
    expectWords(expectExit(await fetch('stop'), 0).stdout, ['stopped: 0 of 3 files complete'])
    expect(await mustExec(busybox, 'ps | grep -c "[w]get -S" || :')).toBe('0')
    expect(await mustExec(busybox, 'ps | grep -c "[t]mp/wget"')).toBe('1')
    expectWords(expectExit(await fetch('log'), 0).stdout, ['stopped; what has arrived is kept'])
    const document = JSON.parse(expectExit(await fetch('status', '--json'), 0).stdout)
    expect(document).toMatchObject({ schema: 'converge/fetch/v1', models: [{ host: 'busybox', state: 'stopped' }] })
  })
})

function digests(host: LabHost, folder: string): Promise<string> {
  return mustExec(host, `cd ${folder} && sha256sum *`)
}

async function arrives(host: LabHost, folder: string, bytes: number): Promise<void> {
  const look = async () => Number(await mustExec(host, `cat ${folder}/* 2>/dev/null | wc -c || :`))
  await expect.poll(look, { timeout: 60_000, interval: 250 }).toBeGreaterThan(bytes)
}

/** As a power cut and a boot would; the host has another port then. */
async function restart(lab: Lab, host: LabHost): Promise<void> {
  await docker(['restart', '--time', '0', host.containerId])
  const told = await docker(['port', host.containerId, '22/tcp'])
  const port = /:(\d+)/.exec(told)?.[1] ?? ''
  for (const file of [lab.sshConfigFile, host.knownHostsFile]) {
    // oxlint-disable-next-line no-await-in-loop -- two files
    const text = await readFile(file, 'utf8')
    // oxlint-disable-next-line no-await-in-loop -- as above
    await writeFile(file, text.replaceAll(new RegExp(`(Port |\\]:)${host.port}\\b`, 'g'), `$1${port}`))
  }
  await expect.poll(async () => (await host.exec('systemctl is-active ssh')).exitCode, { timeout: 60_000 }).toBe(0)
}
