import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { FactQuestion } from '../../src/facts/question.ts'
import { gatherFacts } from '../../src/gather/gather.ts'
import type { HostFacts } from '../../src/model/facts.ts'
import { known, type Observed, unknown } from '../../src/model/observed.ts'
import { question } from '../facts/question-with.ts'
import { type Connected, connect } from './connect.ts'
import { type LabHost, mustExec } from './host.ts'
import { labHost, noLab } from './lab-hosts.ts'

const image = 'ghcr.io/ggml-org/llama.cpp:server'
const salt = '5a17c0de'

async function look(transport: Connected, host: LabHost, asked: Partial<FactQuestion> = {}): Promise<HostFacts> {
  return gatherFacts({
    host,
    question: question({ host: host.name, salt, ...asked }),
    transport,
    http: async () => unknown('not-gathered'),
    now: () => new Date(),
    timeoutMs: 60_000,
  })
}

function valueOf<T>(observed: Observed<T> | undefined): T {
  if (observed?.known !== true) throw new Error(`unknown: ${JSON.stringify(observed)}`)
  return observed.value
}

/** A path is the same file until its bytes, its inode or its time changed; reading is no trace. */
async function touchedBy(host: LabHost, act: () => Promise<unknown>): Promise<ReadonlySet<string>> {
  await mustExec(host, 'touch /tmp/before; sleep 1.1 2>/dev/null || sleep 2')
  await act()
  const places = '-path /proc -prune -o -path /sys -prune -o -path /dev -prune -o -path /var/lib/docker -prune -o'
  const found = await mustExec(host, `find / ${places} -newer /tmp/before -print 2>/dev/null || :`)
  return new Set(found.split('\n').map((path) => path.replace(/\d+/g, 'N')))
}

describe.skipIf(noLab)('the probe on real hosts', () => {
  it('sees the NAS: a container that serves, its engine, its port, no key', async () => {
    const nas = labHost('nas')
    const flags = '--host 0.0.0.0 --port 9993 --model /models/tiny/tiny.gguf --alias seen --api-key SECRET-in-the-lab --threads 1'
    const run = `docker run -d --name probe-test --restart unless-stopped --label com.docker.compose.project=probe --label note=private`
    const id = (await mustExec(nas, `${run} -p 9993:9993 -v /srv/models:/models:ro ${image} ${flags}`)).trim()
    try {
      await using transport = await connect(nas)
      const model = '/srv/models/tiny-sharded/tiny-00001-of-00003.gguf'
      const facts = await look(transport, nas, {
        images: [image, 'no/such:1'],
        engineVersion: true,
        models: [model, '/srv/models/broken'],
      })
      const { engine, containers, images } = valueOf(facts.containers)
      const version = (await mustExec(nas, "docker version --format '{{.Server.Version}}'")).trim()
      const compose = (await mustExec(nas, 'docker compose version --short')).trim().replace(/^v/, '')
      expect(engine).toEqual({
        path: '/usr/bin/docker',
        version,
        compose: known({ argv: ['/usr/bin/docker', 'compose'], version: compose }),
      })
      expect(images).toEqual({ [image]: true, 'no/such:1': false })
      const mine = containers.find((container) => container.id === id)
      const pid = Number(await mustExec(nas, "docker inspect --format '{{.State.Pid}}' probe-test"))
      expect(mine).toMatchObject({
        name: 'probe-test',
        image,
        state: 'running',
        pid,
        entrypoint: ['/usr/bin/llama-server'],
        command: flags.replace('SECRET-in-the-lab', '***').split(' '),
        restartPolicy: 'unless-stopped',
        binds: ['/srv/models:/models:ro'],
        ports: ['9993:9993'],
        labels: { 'com.docker.compose.project': 'probe' },
      })
      expect(valueOf(facts.residents).find((one) => one.pid === pid)).toMatchObject({
        role: 'A',
        port: 9993,
        container: id.slice(0, 12),
      })
      expect(valueOf(facts.listeners).filter(({ port }) => port === 9993)).toMatchObject([
        { process: 'docker-proxy', address: '0.0.0.0' },
      ])
      expect(valueOf(facts.layout)).toEqual({ user: 'op', home: '/home/op', effectiveUid: 0, root: '/etc/converge' })
      expect(valueOf(facts.models[model])).toMatchObject({
        shards: 3,
        missing: [],
        header: { known: true, value: { architecture: 'llama' } },
      })
      expect(valueOf(facts.systemd).version).toMatch(/^\d+/)
      expect(JSON.stringify(facts)).not.toContain('SECRET')
    } finally {
      await mustExec(nas, 'docker rm --force probe-test')
    }
  })

  it('sees the box: a unit with a Kind B, its engine, and its key only as a digest', async () => {
    const box = labHost('box')
    const environment = '--setenv=SRV_MODEL=/srv/models/flagship --setenv=SRV_API_KEY=SECRET-in-the-lab --setenv=CTX=4096'
    const program = '/usr/bin/python3 /opt/kindb/serve serve --host 127.0.0.1 --port 9994'
    await mustExec(box, `systemd-run --unit=probe-test ${environment} ${program}`)
    try {
      await using transport = await connect(box)
      await expect.poll(async () => (await box.exec('curl -s http://127.0.0.1:9994/health')).stdout).toContain('ok')
      const facts = await look(transport, box, {
        units: ['probe-test.service', 'gone.service'],
        programs: [{ path: '/opt/kindb/serve', kind: 'B', interpreter: '/usr/bin/python3' }],
        executables: ['/opt/kindb/serve', '/usr/bin/python3'],
        models: ['/srv/models/flagship'],
        environment: [
          { name: 'CTX', secret: false },
          { name: 'SRV_API_KEY', secret: true },
        ],
      })
      const pid = Number(await mustExec(box, 'systemctl show -p MainPID --value probe-test'))
      const { units } = valueOf(facts.systemd)
      expect(units['probe-test.service']).toMatchObject({ activeState: 'active', mainPid: pid, loadState: 'loaded' })
      expect(units['gone.service']).toMatchObject({ loadState: 'not-found', activeState: 'inactive', mainPid: 0 })
      const residents = valueOf(facts.residents)
      const front = residents.find((one) => one.pid === pid)
      expect(front).toMatchObject({ role: 'B', port: 9994, unit: 'probe-test.service', user: 'root' })
      expect(front?.env).toEqual({
        CTX: '4096',
        SRV_API_KEY: createHash('sha256').update(`${salt}SECRET-in-the-lab`).digest('hex'),
      })
      expect(residents.filter((one) => one.ppid === pid)).toMatchObject([{ role: 'engine', unit: 'probe-test.service' }])
      expect(valueOf(facts.listeners).find(({ port }) => port === 9994)).toMatchObject({ address: '127.0.0.1', pid: known(pid) })
      const flags = valueOf(valueOf(facts.executables['/opt/kindb/serve'])?.flags)
      expect(flags).toEqual(expect.arrayContaining(['--host', '--port', '--ram', '--ctx']))
      expect(flags).not.toContain('--no-browser')
      expect(valueOf(facts.models['/srv/models/flagship'])).toMatchObject({ type: 'directory', unfinished: [] })
      expect(valueOf(facts.containers).engine).toBeNull()
      expect(JSON.stringify(facts)).not.toContain('SECRET')
    } finally {
      await mustExec(box, 'systemctl stop probe-test')
    }
  })

  it('sees the BusyBox host without ss, sudo, bash and systemd, as an ordinary account', async () => {
    const busybox = labHost('busybox')
    await mustExec(
      busybox,
      "printf '# converge: managed com.example.coder\\nkey: 1\\n' > /srv/coder.yaml; mkdir -p /closed; echo k > /closed/key; chmod 700 /closed",
    )
    await using transport = await connect(busybox, false)
    const facts = await look(transport, busybox, {
      definitions: ['/srv/coder.yaml', '/closed/coder.yaml', '@home/none.yaml'],
      keyFiles: ['/closed/key'],
      disks: ['@root/'],
      models: ['/srv/models/none.gguf'],
    })
    expect(valueOf(facts.platform)).toMatchObject({ os: 'linux', hostname: 'busybox' })
    expect(valueOf(facts.layout)).toEqual({ user: 'op', home: '/home/op', effectiveUid: 1000, root: '/home/op/.config/converge' })
    expect(valueOf(facts.memory).totalBytes).toBeGreaterThan(0)
    expect(valueOf(facts.listeners).filter(({ port }) => port === 22)).not.toHaveLength(0)
    expect(valueOf(facts.listeners).every(({ pid }) => !pid.known)).toBe(true)
    expect(facts.residents).toEqual(known([]))
    expect(facts.containers).toEqual(known({ engine: null, containers: [], images: {} }))
    expect(facts.systemd).toEqual(known({ version: null, units: {} }))
    const digest = (await mustExec(busybox, 'sha256sum </srv/coder.yaml')).slice(0, 64)
    expect(facts.definitions['/srv/coder.yaml']).toMatchObject(
      known({ digest, mark: 'com.example.coder', mode: 0o644, owner: 'root' }),
    )
    const closed = { known: false, because: 'not-permitted', detail: expect.stringMatching('^a folder above /closed/') }
    expect(facts.definitions['/closed/coder.yaml']).toEqual(closed)
    expect(facts.keyFiles['/closed/key']).toEqual(closed)
    expect(facts.definitions['@home/none.yaml']).toEqual(known(null))
    expect(valueOf(facts.disks['@root/']).totalBytes).toBeGreaterThan(0)
    expect(facts.models['/srv/models/none.gguf']).toEqual(known(null))
  })

  it.each(['nas', 'box', 'busybox'])('leaves no trace on %s that logging in does not leave', async (name) => {
    const host = labHost(name)
    await using transport = await connect(host, name !== 'busybox')
    // Other tests may have been at work on this host.
    const ownFolders = 'find /etc/converge /home/op/.config/converge 2>/dev/null || :'
    const before = await mustExec(host, ownFolders)
    const nothing = { label: 'nothing', text: [':\n'], args: [], elevate: true, timeoutMs: 10_000 }
    const login = await touchedBy(host, () => transport.exec(nothing))
    const asked = {
      models: ['/srv/models/tiny/tiny.gguf'],
      executables: ['/opt/kindb/serve'],
      images: [image],
      disks: ['@root/'],
    }
    const programs = [{ path: '/opt/kindb/serve', kind: 'B', interpreter: '/usr/bin/python3' }] as const
    const probe = await touchedBy(host, () =>
      look(transport, host, { ...asked, programs, definitions: ['@root/x'], keyFiles: ['@home/x'] }),
    )
    // Journals go on, and containerd collects garbage seconds after another test made a container.
    const anyway = ['/var/log/', '/run/log/', '/var/lib/containerd/io.containerd.metadata.']
    expect([...probe].filter((path) => !login.has(path) && !anyway.some((one) => path.startsWith(one)))).toEqual([])
    expect(await mustExec(host, ownFolders)).toBe(before)
  })

  it('does not hold root responsible for what the account can change: programs are asked as the account', async () => {
    const box = labHost('box')
    await mustExec(
      box,
      'printf \'#!/bin/sh\\nid -un\\necho "  --as-$(id -un) flag"\\n\' > /home/op/program; chmod 755 /home/op/program',
    )
    await using transport = await connect(box)
    const path = '/home/op/program'
    const facts = await look(transport, box, { executables: [path], programs: [{ path, kind: 'A' }] })
    expect(valueOf(facts.layout).effectiveUid).toBe(0)
    expect(valueOf(facts.executables[path])).toMatchObject({ path, executable: true, version: 'op', flags: known(['--as-op']) })
  })

  it('finds an engine in an unusual place, and notices a missing one', async () => {
    await using elsewhere = await connect(labHost('elsewhere'))
    const facts = await look(elsewhere, labHost('elsewhere'), { images: [image] })
    expect(valueOf(facts.containers)).toMatchObject({ engine: { path: '/opt/container/bin/docker' }, images: { [image]: true } })
    await using box = await connect(labHost('box'))
    expect((await look(box, labHost('box'), { images: [image] })).containers).toEqual(
      known({ engine: null, containers: [], images: { [image]: false } }),
    )
    await mustExec(labHost('elsewhere'), 'systemctl stop docker.socket docker.service')
    expect((await look(elsewhere, labHost('elsewhere'))).containers).toMatchObject({ known: false, because: 'not-running' })
    await mustExec(labHost('elsewhere'), 'systemctl start docker.socket docker.service')
  })
})
