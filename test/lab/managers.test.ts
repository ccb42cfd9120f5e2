import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aService, type ServiceOptions } from '../support/build.ts'
import { type LabHost, mustExec } from './host.ts'
import { type Lab, startLab } from './hosts.ts'
import { labHost, noLab } from './lab-hosts.ts'
import { managed } from './managed.ts'

const key = 'lab-key-1'
const ask = (port: number, path: string, bearer = key) =>
  `curl -s -o /dev/null -w %{http_code} -H 'Authorization: Bearer ${bearer}' http://127.0.0.1:${port}${path}`

/** Texts that some parser on the way could take for something else, and then some. */
const odd = [
  'a $b ${c} $$ %h %%',
  '"d" \\e \\\\ \\n',
  "it's",
  '#x',
  ' lead',
  'trail ',
  '~',
  'null',
  '0x1f',
  '9990:9990',
  ';',
  '-',
  'ünï €',
  '`id`',
  '$(id)',
  '*',
  '{{.Id}}',
  '@x',
  '',
]
const words = [
  ...odd,
  ...fc.sample(
    fc.string({ unit: 'grapheme', maxLength: 16 }).filter((text) => !/[\p{Cc}\u2028\u2029\ufeff]/u.test(text)),
    { numRuns: 60, seed: 7 },
  ),
]

const box = () => labHost('box')
const flagship = (given: ServiceOptions = {}) =>
  aService({
    kind: 'B',
    name: 'mflag',
    host: 'box',
    port: 9992,
    ramGb: 1,
    ctxSize: 1024,
    user: 'op',
    executable: '/opt/kindb/serve',
    model: { path: '/srv/models/flagship' },
    stopTimeoutS: 20,
    ...given,
  })

describe.skipIf(noLab)('managers on real hosts', () => {
  let old: Lab
  beforeAll(async () => {
    old = await startLab([{ name: 'old-nas', kind: 'old-nas', engine: 'usual' }])
  })
  afterAll(() => old.stop())

  describe.each(['nas', 'old-nas'])('compose on %s', (name) => {
    const host = (): LabHost => (name === 'nas' ? labHost(name) : old.host(name))
    const coder = (given: ServiceOptions = {}) =>
      aService({
        name: 'mcoder',
        host: name,
        port: 9991,
        alias: 'tiny',
        ctxSize: 512,
        threads: 1,
        stopTimeoutS: 20,
        model: { path: '/srv/models/tiny/tiny.gguf' },
        ...given,
      })

    it('a Kind A goes through its whole life', async () => {
      const service = managed(host(), coder(), key)
      expect(await service.observe()).toMatchObject({ definition: 'none', activity: 'not-loaded' })

      expect(await service.act('install')).toMatchObject({ status: 'applied' })
      expect(await service.observe()).toMatchObject({
        definition: 'ours',
        activity: 'stopped',
        startsAtBoot: false,
        process: null,
      })

      expect(await service.act('start', { starts: true })).toMatchObject({ status: 'applied' })
      await expect.poll(() => said(host(), ask(9991, '/health')), { timeout: 30_000 }).toBe('200')
      expect(await said(host(), ask(9991, '/props'))).toBe('200')
      expect(await said(host(), ask(9991, '/props', 'wrong'))).toBe('401')
      expect(await service.observe()).toMatchObject({
        definition: 'ours',
        activity: 'running',
        startsAtBoot: true,
        staleDefinition: false,
      })
      expect(await service.differences()).toEqual([])
      expect(await said(host(), `pgrep -a llama-server`)).not.toContain(key)

      const larger = managed(host(), coder({ ctxSize: 1024 }), 'lab-key-2')
      expect(await larger.differences(false)).toMatchObject([
        { field: 'running.command.--ctx-size', from: '512', to: '1024' },
        { field: 'running.key' },
      ])
      expect(await larger.act('update', { starts: true, interrupts: true })).toMatchObject({ status: 'applied' })
      await expect.poll(() => said(host(), ask(9991, '/props', 'lab-key-2')), { timeout: 30_000 }).toBe('200')
      expect(await said(host(), ask(9991, '/props'))).toBe('401')
      expect(await larger.differences()).toEqual([])

      const before = (await larger.observe()).process
      expect(await larger.act('restart', { starts: true, interrupts: true })).toMatchObject({ status: 'applied' })
      expect((await larger.observe()).process).not.toEqual(before)

      expect(await larger.act('stop', { interrupts: true })).toMatchObject({ status: 'applied' })
      await restartEngine(host())
      expect(await larger.observe()).toMatchObject({ activity: 'stopped', startsAtBoot: false })
      expect(await larger.act('start', { starts: true })).toMatchObject({ status: 'applied' })
      await restartEngine(host())
      await expect.poll(async () => (await larger.observe()).activity, { timeout: 30_000 }).toBe('running')

      expect(await larger.act('remove', { interrupts: true })).toMatchObject({ status: 'applied' })
      expect(await larger.observe()).toMatchObject({ definition: 'none', activity: 'not-loaded' })
      expect(
        await said(
          host(),
          'docker ps -aq; docker network ls -q -f name=mcoder; find /etc/converge -name "mcoder*" -o -name "compose.y*"; ls /srv/models/tiny',
        ),
      ).toBe('tiny.gguf')
    })

    it('an update that does not stay up is taken back, key and all', async () => {
      const good = managed(host(), coder(), key)
      expect(await good.act('install', { starts: true })).toMatchObject({ status: 'applied' })
      const bad = managed(host(), coder({ model: { path: '/srv/models/tiny/not-there.gguf' } }), 'lab-key-2')
      const result = await bad.act('update', { starts: true, interrupts: true })
      expect(result).toMatchObject({
        status: 'failed',
        undone: 'restored',
        problem: { why: expect.stringContaining('not-there') },
      })
      await expect.poll(() => said(host(), ask(9991, '/props')), { timeout: 30_000 }).toBe('200')
      expect(await good.differences()).toEqual([])
      expect(await good.observe()).toMatchObject({ definition: 'ours', activity: 'running', staleDefinition: false })
      expect(await good.act('remove', { interrupts: true })).toMatchObject({ status: 'applied' })
    })

    it('a definition that compose does not take replaces nothing', async () => {
      const good = managed(host(), coder(), key)
      expect(await good.act('install', { starts: true })).toMatchObject({ status: 'applied' })
      const before = await good.observe()
      const bad = managed(host(), coder({ bind: 'no address' }), key)
      expect(await bad.act('update', { starts: true, interrupts: true })).toMatchObject({ status: 'failed', undone: 'restored' })
      expect(await good.observe()).toMatchObject({ definitionDigest: before.definitionDigest, process: before.process })
      expect(await good.act('remove', { interrupts: true })).toMatchObject({ status: 'applied' })
    })

    it('somebody else’s container of the same name is left alone', async () => {
      await mustExec(host(), 'docker run -d --name mcoder --entrypoint sleep ghcr.io/ggml-org/llama.cpp:server 600')
      const service = managed(host(), coder(), key)
      expect(await service.observe()).toMatchObject({ definition: 'foreign', definitionDigest: null })
      expect(await service.act('install', { starts: true })).toMatchObject({ status: 'failed', undone: 'not-needed' })
      expect(await said(host(), 'docker inspect -f {{.State.Status}} mcoder; ls /etc/converge/compose 2>/dev/null')).toBe(
        'running',
      )
      await mustExec(host(), 'docker rm -f mcoder')
    })

    it('what is put into the file comes out of the container', async () => {
      const env = Object.fromEntries(words.map((word, index) => [`ODD_${index}`, word]))
      const given = coder({
        alias: 'a $b ${c} "d" \\e',
        extraArgs: words,
        extraEnv: { ...env, ON: 'yes', N: 'no' },
        keyDelivery: 'inline',
      })
      const service = managed(host(), given, 'k$e${y}"\\#\'')
      expect(await service.act('install')).toMatchObject({ status: 'applied' })
      const made: { readonly Cmd: readonly string[]; readonly Env: readonly string[] } = JSON.parse(
        await mustExec(host(), 'docker inspect -f "{{json .Config}}" mcoder'),
      )
      expect(made.Cmd.slice(7, 8)).toEqual(['a $b ${c} "d" \\e'])
      expect(made.Cmd.slice(-words.length - 2)).toEqual(['--api-key', 'k$e${y}"\\#\'', ...words])
      expect(made.Env).toEqual(
        expect.arrayContaining([...Object.entries(env), ['ON', 'yes'], ['N', 'no']].map(([one, value]) => `${one}=${value}`)),
      )
      expect(await service.act('remove')).toMatchObject({ status: 'applied' })
    })

    it('the key of a Kind B reaches its environment from the file', async () => {
      const given = aService({
        kind: 'B',
        manager: 'compose',
        name: 'mflag',
        host: name,
        image: 'ghcr.io/ggml-org/llama.cpp:server',
        interpreter: undefined,
        executable: undefined,
        model: { path: '/srv/models/tiny' },
      })
      const service = managed(host(), given, 'k$e y"`#%=')
      expect(await service.act('install')).toMatchObject({ status: 'applied' })
      const env: readonly string[] = JSON.parse(await mustExec(host(), 'docker inspect -f "{{json .Config.Env}}" mflag'))
      expect(env).toEqual(expect.arrayContaining(['SRV_API_KEY=k$e y"`#%=', 'SRV_MODEL=/models', 'CTX=16384', 'RAM_GB=16']))
      expect(await service.act('remove')).toMatchObject({ status: 'applied' })
    })
  })

  describe('systemd on box', () => {
    it('a Kind B goes through its whole life', async () => {
      const service = managed(box(), flagship(), key)
      expect(await service.observe()).toMatchObject({ definition: 'none', activity: 'not-loaded' })
      expect(await service.act('install')).toMatchObject({ status: 'applied' })
      expect(await service.observe()).toMatchObject({ definition: 'ours', activity: 'stopped', startsAtBoot: false })
      expect(await service.act('start', { starts: true })).toMatchObject({ status: 'applied' })
      await expect.poll(() => said(box(), ask(9992, '/v1/models')), { timeout: 30_000 }).toBe('200')
      expect(await said(box(), ask(9992, '/v1/models', 'wrong'))).toBe('401')
      expect(await service.observe()).toMatchObject({ activity: 'running', startsAtBoot: true, staleDefinition: false })
      expect(await service.differences()).toEqual([])
      expect(await said(box(), 'systemctl show mflag; pgrep -af serve')).not.toContain(key)

      const warm = (await service.observe()).process
      const larger = managed(box(), flagship({ ctxSize: 2048 }), key)
      expect(await larger.act('update')).toMatchObject({ status: 'applied' })
      expect(await larger.observe()).toMatchObject({ process: warm, staleDefinition: false, activity: 'running' })
      expect(await larger.differences()).toMatchObject([
        { field: 'running.command.--ctx', from: '1024', to: '2048', effect: 'costly-restart' },
        { field: 'running.environment.CTX', from: '1024', to: '2048', effect: 'costly-restart' },
      ])
      expect(await larger.act('restart', { starts: true, interrupts: true })).toMatchObject({ status: 'applied' })
      expect(await larger.differences()).toEqual([])

      await new Promise((resolve) => setTimeout(resolve, 3500))
      const rotated = managed(box(), flagship({ ctxSize: 2048 }), 'lab-key-2')
      expect(await rotated.act('update')).toMatchObject({ status: 'applied' })
      expect(await rotated.differences()).toMatchObject([{ field: 'running.key', effect: 'costly-restart' }])
      expect(await rotated.act('restart', { starts: true, interrupts: true })).toMatchObject({ status: 'applied' })
      expect(await rotated.act('update')).toMatchObject({ status: 'applied' })
      expect(await rotated.differences()).toEqual([])

      expect(await rotated.act('stop', { interrupts: true })).toMatchObject({ status: 'applied' })
      expect(await rotated.observe()).toMatchObject({ activity: 'stopped', startsAtBoot: false, process: null })
      expect(await rotated.act('start', { starts: true })).toMatchObject({ status: 'applied' })
      expect(await rotated.act('remove', { interrupts: true })).toMatchObject({ status: 'applied' })
      expect(await rotated.observe()).toMatchObject({ definition: 'none', activity: 'not-loaded' })
      expect(
        await said(box(), 'ls /etc/converge/keys /etc/systemd/system | grep mflag; ls /srv/models/flagship | head -1'),
      ).not.toBe('')
    })

    it('a flag that the program does not know ends it once, not every ten seconds, and nothing is left', async () => {
      const service = managed(box(), flagship({ noBrowser: true }), key)
      const result = await service.act('install', { starts: true })
      expect(result).toMatchObject({
        status: 'failed',
        undone: 'restored',
        problem: { why: expect.stringContaining('--no-browser') },
      })
      expect(await service.observe()).toMatchObject({ definition: 'none', activity: 'not-loaded' })
    })

    it('a server that fails again and again is given up', async () => {
      const service = managed(box(), flagship({ model: { path: '/srv/models/none' } }), key)
      expect(await service.act('install')).toMatchObject({ status: 'applied' })
      // As often as not within ten seconds, so that only a limit over a longer time can trip.
      await mustExec(
        box(),
        'mkdir -p /etc/systemd/system/mflag.service.d && printf "[Service]\\nRestartSec=2500ms\\n" > /etc/systemd/system/mflag.service.d/quick.conf && systemctl daemon-reload',
      )
      await box().exec('systemctl start mflag')
      await expect
        .poll(() => said(box(), 'systemctl show -p Result --value mflag; systemctl is-active mflag'), {
          timeout: 40_000,
          interval: 1000,
        })
        .toContain('failed')
      const state = await service.observe()
      expect(state).toMatchObject({ activity: 'failed', process: null })
      expect(state.notes).toContainEqual('changed by the drop-in /etc/systemd/system/mflag.service.d/quick.conf')
      expect(await service.act('remove')).toMatchObject({ status: 'applied' })
      await mustExec(box(), 'rm -r /etc/systemd/system/mflag.service.d && systemctl daemon-reload')
    })

    it('an executable that is not there is told before anything is written', async () => {
      const service = managed(box(), flagship({ interpreter: '/usr/bin/python99' }), key)
      expect(await service.act('install', { starts: true })).toMatchObject({
        status: 'failed',
        undone: 'restored',
        problem: { why: expect.stringContaining('python99') },
      })
      expect(await service.observe()).toMatchObject({ definition: 'none' })
    })

    it.each(['A', 'B'] as const)('what is put into the unit comes out in the process of a Kind %s', async (kind) => {
      await mustExec(box(), `cat > /opt/dump && chmod 755 /opt/dump`, { stdin: dump })
      const env = Object.fromEntries(words.map((word, index) => [`ODD_${index}`, word]))
      const given = {
        kind,
        manager: 'systemd',
        interpreter: '/usr/bin/python3',
        executable: '/opt/dump',
        extraArgs: words,
        extraEnv: env,
        alias: 'a $b ${c} "d" \\e %h',
      } as const
      const inline = managed(box(), flagship({ ...given, keyDelivery: 'inline' }), 'k$e${y}"\\#\'%h`')
      expect(await inline.act('install')).toMatchObject({ status: 'applied' })
      await mustExec(box(), 'systemctl start mflag')
      const seen = await dumped(box())
      expect(seen.argv).toEqual(expect.arrayContaining(['a $b ${c} "d" \\e %h']))
      expect(seen.argv.slice(-words.length)).toEqual(words)
      expect(seen.env).toMatchObject(env)
      expect(kind === 'A' ? seen.argv[seen.argv.indexOf('--api-key') + 1] : seen.env['SRV_API_KEY']).toBe('k$e${y}"\\#\'%h`')
      await mustExec(box(), 'systemctl stop mflag')

      const inFile = managed(box(), flagship({ ...given, keyDelivery: 'file' }), 'k$e${y}"\\#\'%h` =')
      expect(await inFile.act('update')).toMatchObject({ status: 'applied' })
      await mustExec(box(), 'systemctl start mflag')
      expect((await dumped(box())).key).toBe('k$e${y}"\\#\'%h` =')
      await mustExec(box(), 'systemctl stop mflag')
      expect(await inFile.act('remove')).toMatchObject({ status: 'applied' })
    })
  })
})

/** Writes down how it was started and what it can read, and goes on. */
const dump = `#!/usr/bin/python3
import json, os, sys, time
argv = sys.argv[1:]
if '--help' in argv or '--version' in argv:
    sys.exit(0)
key = open(argv[argv.index('--api-key-file') + 1]).read().rstrip('\\n') if '--api-key-file' in argv else os.environ.get('SRV_API_KEY')
with open('/tmp/dumped.part', 'w') as out:
    json.dump({'argv': argv, 'env': dict(os.environ), 'key': key}, out)
os.replace('/tmp/dumped.part', '/tmp/dumped')
time.sleep(600)
`

interface Dumped {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly key: string
}

async function dumped(host: LabHost): Promise<Dumped> {
  await expect.poll(() => said(host, 'ls /tmp/dumped'), { timeout: 10_000 }).toBe('/tmp/dumped')
  const text = await mustExec(host, 'cat /tmp/dumped && rm /tmp/dumped')
  const value: Dumped = JSON.parse(text)
  return value
}

async function said(host: LabHost, command: string): Promise<string> {
  return (await host.exec(command)).stdout.trim()
}

async function restartEngine(host: LabHost): Promise<void> {
  await mustExec(host, 'systemctl restart docker')
  await expect.poll(async () => (await host.exec('docker info')).exitCode, { timeout: 30_000 }).toBe(0)
}
