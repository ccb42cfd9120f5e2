import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aService, type ServiceOptions } from '../support/build.ts'
import { type LabHost, mustExec } from './host.ts'
import { labHost, noLab } from './lab-hosts.ts'
import { ask, key, lookOf, managed, said, tookOver } from './managed.ts'
import { oddWords } from './odd-words.ts'

const box = () => labHost('box')
const nas = () => labHost('nas')
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

const coder = (given: ServiceOptions = {}) =>
  aService({
    name: 'mcoder',
    manager: 'systemd',
    unit: 'llama-m.service',
    host: 'nas',
    port: 9993,
    alias: 'tiny',
    ctxSize: 512,
    threads: 1,
    user: 'op',
    stopTimeoutS: 20,
    model: { path: '/srv/models/tiny/tiny.gguf' },
    ...given,
  })

describe.skipIf(noLab)('systemd on box', () => {
  it('a Kind B goes through its whole life', async () => {
    const service = managed(box(), flagship(), key)
    const nothing = await service.look()
    expect(nothing.state).toMatchObject({ definition: 'none', activity: 'not-loaded' })
    expect(await nothing.act('install')).toMatchObject({ status: 'applied' })
    const installed = await service.look()
    expect(installed.state).toMatchObject({ definition: 'ours', activity: 'stopped', startsAtBoot: false })
    expect(await installed.act('start', { starts: true })).toMatchObject({ status: 'applied' })
    await expect.poll(() => said(box(), ask(9992, '/v1/models'))).toBe('200')
    expect(await said(box(), ask(9992, '/v1/models', 'wrong'))).toBe('401')
    const started = await service.look()
    expect(started.state).toMatchObject({ activity: 'running', startsAtBoot: true, staleDefinition: false })
    expect(started.differences()).toEqual([])
    expect(await said(box(), 'systemctl show mflag; pgrep -af serve')).not.toContain(key)

    const warm = started.state.process
    const larger = managed(box(), flagship({ ctxSize: 2048 }), key)
    expect(await larger.act('update')).toMatchObject({ status: 'applied' })
    const updated = await larger.look()
    expect(updated.state).toMatchObject({ process: warm, staleDefinition: false, activity: 'running' })
    expect(updated.differences()).toMatchObject([
      { field: 'running.command.--ctx', from: '1024', to: '2048', effect: 'costly-restart' },
      { field: 'running.environment.CTX', from: '1024', to: '2048', effect: 'costly-restart' },
    ])
    expect(await updated.act('restart', { starts: true, interrupts: true })).toMatchObject({ status: 'applied' })
    expect(await larger.differences()).toEqual([])

    await new Promise((resolve) => setTimeout(resolve, 3500))
    const rotated = managed(box(), flagship({ ctxSize: 2048 }), 'lab-key-2')
    expect(await rotated.act('update')).toMatchObject({ status: 'applied' })
    const another = await rotated.look()
    expect(another.differences()).toMatchObject([{ field: 'running.key', effect: 'costly-restart' }])
    expect(await another.act('restart', { starts: true, interrupts: true })).toMatchObject({ status: 'applied' })
    expect(await rotated.act('update')).toMatchObject({ status: 'applied' })
    expect(await rotated.differences()).toEqual([])

    expect(await rotated.act('stop', { interrupts: true })).toMatchObject({ status: 'applied' })
    const stopped = await rotated.look()
    expect(stopped.state).toMatchObject({ activity: 'stopped', startsAtBoot: false, process: null })
    expect(await stopped.act('start', { starts: true })).toMatchObject({ status: 'applied' })
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
        interval: 1000,
      })
      .toContain('failed')
    const state = await service.observe()
    expect(state).toMatchObject({ activity: 'failed', process: null })
    expect(state.notes).toContainEqual('changed by the drop-in /etc/systemd/system/mflag.service.d/quick.conf')
    expect(await service.act('remove')).toMatchObject({ status: 'applied' })
    await mustExec(box(), 'rm -r /etc/systemd/system/mflag.service.d && systemctl daemon-reload')
  })

  it('a missing executable is reported before anything is written', async () => {
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
    const env = Object.fromEntries(oddWords.map((word, index) => [`ODD_${index}`, word]))
    const given = {
      kind,
      manager: 'systemd',
      interpreter: '/usr/bin/python3',
      executable: '/opt/dump',
      extraArgs: oddWords,
      extraEnv: env,
      alias: 'a $b ${c} "d" \\e %h',
    } as const
    const inline = managed(box(), flagship({ ...given, keyDelivery: 'inline' }), 'k$e${y}"\\#\'%h`')
    expect(await inline.act('install')).toMatchObject({ status: 'applied' })
    await mustExec(box(), 'systemctl start mflag')
    const seen = await dumped(box())
    expect(seen.argv).toEqual(expect.arrayContaining(['a $b ${c} "d" \\e %h']))
    expect(seen.argv.slice(-oddWords.length)).toEqual(oddWords)
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

describe.skipIf(noLab)('systemd on nas', () => {
  beforeAll(async () => {
    await mustExec(nas(), serverWithoutContainer)
  })
  afterAll(async () => {
    await mustExec(nas(), 'rm -rf /srv/server /usr/bin/llama-server /etc/systemd/system/llama-m.service.d')
  })

  it('a Kind A that reads its key as another account; an update that does not stay up is taken back', async () => {
    const service = managed(nas(), coder(), key)
    expect(await service.act('install', { starts: true })).toMatchObject({ status: 'applied' })
    await expect.poll(() => said(nas(), ask(9993, '/props'))).toBe('200')
    expect(await said(nas(), ask(9993, '/props', 'wrong'))).toBe('401')
    const started = await service.look()
    expect(started.differences()).toEqual([])
    const notes = ['changed by the drop-in /etc/systemd/system/llama-m.service.d/root.conf']
    expect(started.state).toMatchObject({ activity: 'running', startsAtBoot: true, notes })

    const bad = managed(nas(), coder({ model: { path: '/srv/models/tiny/not-there.gguf' } }), 'lab-key-2')
    const result = await bad.act('update', { starts: true, interrupts: true })
    expect(result).toMatchObject({ status: 'failed', undone: 'restored', problem: { why: expect.stringContaining('not-there') } })
    await expect.poll(() => said(nas(), ask(9993, '/props'))).toBe('200')
    const restored = await service.look()
    expect(restored.differences()).toEqual([])
    expect(restored.state).toMatchObject({ activity: 'running', startsAtBoot: true, staleDefinition: false })

    // The same for a file that a person wrote in its place, to the last byte, with its mode and its owner.
    const unit = '/etc/systemd/system/llama-m.service'
    const byHand = await tookOver(nas(), unit, 'sed -i -e 1d -e "s/--ctx-size [0-9]*/--ctx-size 768/"')
    await mustExec(nas(), 'systemctl daemon-reload && systemctl disable --quiet llama-m && systemctl restart llama-m')
    expect(await service.observe()).toMatchObject({ definition: 'foreign', activity: 'running', startsAtBoot: false })
    expect(await bad.act('update', { starts: true, interrupts: true })).toMatchObject({ status: 'failed', undone: 'restored' })
    expect(await lookOf(nas(), unit)).toBe(byHand)
    expect(await said(nas(), 'tr "\\0" " " </proc/$(systemctl show --value -p MainPID llama-m)/cmdline')).toContain(
      '--ctx-size 768',
    )
    expect(await said(nas(), 'systemctl is-enabled llama-m')).toBe('disabled')
    await expect.poll(() => said(nas(), ask(9993, '/props'))).toBe('200')

    const rotated = managed(nas(), coder(), 'lab-key-2')
    expect(await rotated.act('update', { starts: true, interrupts: true })).toMatchObject({ status: 'applied' })
    await expect.poll(() => said(nas(), ask(9993, '/props', 'lab-key-2'))).toBe('200')
    expect(await rotated.act('stop', { interrupts: true })).toMatchObject({ status: 'applied' })
    const stopped = await rotated.look()
    expect(stopped.state).toMatchObject({ activity: 'stopped', startsAtBoot: false })
    expect(await stopped.act('remove')).toMatchObject({ status: 'applied' })
    expect(await said(nas(), 'find /etc/converge /etc/systemd/system -type f \\( -name "mcoder*" -o -name "llama-m*" \\)')).toBe(
      '',
    )
  })

  it('a key file that its account cannot reach starts nothing', async () => {
    await mustExec(nas(), 'mkdir -p /etc/converge/keys && chmod 700 /etc/converge')
    const service = managed(nas(), coder(), key)
    const result = await service.act('install', { starts: true })
    expect(result).toMatchObject({
      status: 'failed',
      undone: 'restored',
      problem: { why: expect.stringContaining('op cannot read') },
    })
    expect(await service.observe()).toMatchObject({ definition: 'none', activity: 'not-loaded' })
    await mustExec(nas(), 'chmod 755 /etc/converge')
  })
})

/** The real server outside a container: its files in a folder, which a drop-in makes the root of the unit. */
const serverWithoutContainer = `
set -e
id=$(docker create ghcr.io/ggml-org/llama.cpp:server)
mkdir -p /srv/server /etc/systemd/system/llama-m.service.d
docker export "$id" | tar -x -C /srv/server
docker rm "$id" >/dev/null
install -m 755 /bin/true /usr/bin/llama-server
cat > /etc/systemd/system/llama-m.service.d/root.conf <<'CONF'
[Service]
RootDirectory=/srv/server
BindReadOnlyPaths=/srv/models /etc/converge/keys
CONF
`

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
  await expect.poll(() => said(host, 'ls /tmp/dumped')).toBe('/tmp/dumped')
  const text = await mustExec(host, 'cat /tmp/dumped && rm /tmp/dumped')
  const value: Dumped = JSON.parse(text)
  return value
}
