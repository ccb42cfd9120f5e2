import { afterEach, describe, expect, it } from 'vitest'
import type { FactQuestion } from '../../src/facts/question.ts'
import { gatherFacts } from '../../src/gather/gather.ts'
import { readLastLog } from '../../src/logs/last-log.ts'
import { engineAt } from '../../src/managers/compose/supervisor.ts'
import type { Supervisor } from '../../src/managers/supervisor.ts'
import { supervisorOf } from '../../src/managers/systemd/supervisor.ts'
import type { HostFacts } from '../../src/model/facts.ts'
import type { Service } from '../../src/model/fleet.ts'
import { unknown } from '../../src/model/observed.ts'
import type { SmokeResult } from '../../src/model/report.ts'
import { Secret } from '../../src/model/secret.ts'
import { serverKinds } from '../../src/servers/index.ts'
import { systemClock } from '../../src/time/clock.ts'
import { httpFacts } from '../../src/verify/http-facts.ts'
import { askLife } from '../../src/verify/life-sign.ts'
import { smokeTest } from '../../src/verify/smoke.ts'
import { question } from '../facts/question-with.ts'
import { aService } from '../support/build.ts'
import { connect } from './connect.ts'
import { type LabHost, mustExec } from './host.ts'
import { labHost, noLab } from './lab-hosts.ts'

const key = new Secret('lab-verify-key', 'the test')
const image = 'ghcr.io/ggml-org/llama.cpp:server'
const coder = aService({ name: 'vcoder', host: 'nas', port: 9981, alias: 'tiny', readyTimeoutS: 40 })
const flagship = aService({ name: 'vflagship', host: 'box', kind: 'B', port: 9982, alias: 'big', readyTimeoutS: 40 })

const fine = async () => ({ ok: true, detail: 'given by hand' })
const nas = () => labHost('nas')
const box = () => labHost('box')

/** The smoke test as the command line runs it, over SSH; its facts are given by hand. */
async function prove(host: LabHost, service: Service, supervisor: Supervisor, notes: string[] = []): Promise<SmokeResult> {
  await using transport = await connect(host)
  return await smokeTest(service, serverKinds[service.kind].smoke(service), {
    transport,
    key,
    level: 'smoke',
    clock: systemClock,
    note: (note) => notes.push(note),
    coRun: fine,
    portOwner: fine,
    alive: () => askLife(transport, supervisor),
    lastLog: () => readLastLog(transport, supervisor),
  })
}

/** What a plan would see of a host. */
async function look(host: LabHost, asked: Partial<FactQuestion> = {}): Promise<HostFacts> {
  await using transport = await connect(host)
  const common = { http: notAsked, now: () => new Date(), timeoutMs: 60_000 }
  return await gatherFacts({ host, question: question(asked), transport, ...common })
}

const notAsked = async () => unknown('not-gathered')

const failures = (result: SmokeResult) => result.checks.filter((check) => !check.ok && check.skipped === undefined)

describe.skipIf(noLab)('a Kind A server in a container', () => {
  const supervisor = engineAt('/usr/bin/docker', coder.name)
  const start = (model: string, restart = 'no', more: readonly string[] = []) =>
    mustExec(
      nas(),
      `docker run -d --name ${coder.name} --label converge.managed=com.example.vcoder --restart ${restart} -p 9981:9981 -v /srv/models:/models:ro ${image} --host 0.0.0.0 --port 9981 --model /models/${model} --alias tiny --ctx-size 512 --threads 1 --jinja --api-key lab-verify-key ${more.join(' ')}`,
    )
  afterEach(() => mustExec(nas(), `docker rm -f ${coder.name}`))

  it('is proved to work, while it still loads', async () => {
    await start('tiny/tiny.gguf')
    const result = await prove(nas(), coder, supervisor)
    expect(failures(result)).toEqual([])
    expect(result.checks.map((check) => check.name)).toEqual([
      'co-run',
      'health',
      'models',
      'key',
      'completion',
      'port-owner',
      'client',
    ])
    expect(result.checks.find((check) => check.name === 'completion')).toMatchObject({ detail: '1 token' })

    await using transport = await connect(nas())
    const facts = await httpFacts(transport, { service: coder.name, port: 9981, kind: 'A', key, timeoutMs: 10_000 })
    expect(facts).toMatchObject({
      value: {
        health: { status: 200 },
        models: { value: ['tiny'] },
        props: { value: { nCtx: 512, modelPath: '/models/tiny/tiny.gguf' } },
        busy: { value: 0 },
        keyAccepted: { value: true },
      },
    })
    const wrong = await httpFacts(transport, {
      service: coder.name,
      port: 9981,
      kind: 'A',
      key: new Secret('no', 'the test'),
      timeoutMs: 10_000,
    })
    expect(wrong).toMatchObject({ value: { health: { status: 200 }, keyAccepted: { value: false } } })
  })

  it.each([
    { name: 'embedding', extraArgs: ['--embeddings', '--pooling', 'mean'], detail: '32 dimensions' },
    { name: 'rerank', extraArgs: ['--reranking'], detail: '2 documents ranked' },
  ] as const)('whose flags make it answer with $name is proved by that', async ({ name, extraArgs, detail }) => {
    await start('tiny/tiny.gguf', 'no', extraArgs)
    const result = await prove(nas(), { ...coder, extraArgs }, supervisor)
    expect(failures(result)).toEqual([])
    expect(result.checks.find((check) => check.name === name)).toMatchObject({ detail })
  })

  it('that only chats gives no embedding', async () => {
    await start('tiny/tiny.gguf')
    expect(failures(await prove(nas(), { ...coder, smoke: 'embedding' }, supervisor))).toMatchObject([
      { name: 'embedding', detail: expect.stringContaining('the embedding answers 501') },
    ])
  })

  it('that is not the one that was asked for fails by its name', async () => {
    await start('tiny/tiny.gguf')
    const other = { ...coder, alias: 'huge' }
    expect(failures(await prove(nas(), other, supervisor))).toMatchObject([
      { name: 'models', detail: expect.stringContaining('it lists tiny') },
    ])
  })

  it.each(['no', 'unless-stopped'])(
    'that cannot read its model fails at once, with its last output (restart: %s)',
    async (restart) => {
      await start('broken/truncated.gguf', restart)
      const started = Date.now()
      const result = await prove(nas(), coder, supervisor)
      expect(failures(result)).toMatchObject([{ name: 'health', detail: expect.stringMatching(/exit status 1|keeps crashing/) }])
      expect(failures(result)[0]?.detail).toMatch(/tensor|failed to load|error/i)
      expect(Date.now() - started).toBeLessThan(15_000)
      if (restart === 'no') return
      // Between two starts, of which the next waits twice as long as the last.
      const seen = async () => {
        const { containers } = await look(nas())
        return containers.known ? containers.value.containers.find((one) => one.name === coder.name) : containers
      }
      const output = expect.arrayContaining([expect.stringMatching(/failed to load|error/i)])
      await expect.poll(seen).toMatchObject({ state: 'restarting', lastOutput: output })
    },
  )

  it('that is killed while people wait for it fails at once', async () => {
    await mustExec(
      nas(),
      `docker run -d --name ${coder.name} -p 9981:9981 --entrypoint sh ${image} -c 'echo still thinking; exec sleep 300'`,
    )
    setTimeout(() => void nas().exec(`docker kill ${coder.name}`), 3000)
    const started = Date.now()
    const result = await prove(nas(), coder, supervisor)
    expect(failures(result)).toMatchObject([{ name: 'health', detail: expect.stringContaining('exit status 137') }])
    expect(failures(result)[0]?.detail).toContain('still thinking')
    expect(Date.now() - started).toBeLessThan(15_000)
  })
})

describe.skipIf(noLab)('a Kind B server under systemd', () => {
  const supervisor = supervisorOf(flagship, { definitions: {} })
  const start = (knobs = '', properties = '') =>
    mustExec(
      box(),
      `systemd-run --unit=${flagship.name} ${properties} --uid=op --setenv=SRV_MODEL=/srv/models/flagship --setenv=SRV_API_KEY=lab-verify-key ${knobs} /usr/bin/python3 /opt/kindb/serve serve --host 127.0.0.1 --port 9982 --model-id big`,
    )
  afterEach(() => box().exec(`systemctl stop ${flagship.name}; systemctl reset-failed ${flagship.name}`))

  it('is waited for with one request, however long it is silent, and proved to work', async () => {
    await start('--setenv=KINDB_LOAD_SECONDS=9')
    const notes: string[] = []
    const result = await prove(box(), flagship, supervisor, notes)
    expect(failures(result)).toEqual([])
    expect(result.checks.find((check) => check.name === 'health')?.ms).toBeGreaterThan(2000)
    expect(notes.join()).toMatch(/loading, \d s/)
    const log = await mustExec(box(), `journalctl --no-pager -o cat -u ${flagship.name}`)
    expect(log.match(/GET \/health/g)).toHaveLength(1)

    await using transport = await connect(box())
    const facts = await httpFacts(transport, { service: flagship.name, port: 9982, kind: 'B', key, timeoutMs: 10_000 })
    expect(facts).toMatchObject({
      value: { models: { value: ['big'] }, busy: { value: 0 }, completed: { value: 1 }, keyAccepted: { value: true } },
    })
  })

  it('is seen as loading while it is silent', async () => {
    await start('--setenv=KINDB_LOAD_SECONDS=30')
    await expect.poll(() => mustExec(box(), 'ss -Htln sport = :9982')).not.toBe('')
    await using transport = await connect(box())
    const facts = await httpFacts(transport, { service: flagship.name, port: 9982, kind: 'B', key, timeoutMs: 1500 })
    expect(facts).toMatchObject({ value: { health: { status: 0 }, keyAccepted: { known: false } } })
  })

  it('waits longer for its first completion than any client would by default', async () => {
    await start('--setenv=KINDB_FIRST_SECONDS=8')
    const result = await prove(box(), flagship, supervisor)
    expect(failures(result)).toEqual([])
    expect(result.checks.find((check) => check.name === 'completion')?.ms).toBeGreaterThan(7000)
  })

  it('whose engine exits while it loads fails at once, with its last output', async () => {
    await start('--setenv=KINDB_LOAD_SECONDS=3 --setenv=KINDB_LOAD_EXIT=3', '--property=RemainAfterExit=no')
    const started = Date.now()
    const result = await prove(box(), flagship, supervisor)
    expect(failures(result)).toMatchObject([{ name: 'health' }])
    expect(failures(result)[0]?.detail).toMatch(/not running/)
    expect(Date.now() - started).toBeLessThan(15_000)
  })

  it('that systemd starts again and again is found out', async () => {
    await start(
      '--setenv=KINDB_LOAD_SECONDS=1 --setenv=KINDB_LOAD_EXIT=3',
      '--property=Restart=on-failure --property=RestartSec=1',
    )
    const started = Date.now()
    const result = await prove(box(), flagship, supervisor)
    expect(failures(result)).toMatchObject([{ name: 'health', detail: expect.stringMatching(/not running|keeps crashing/) }])
    expect(failures(result)[0]?.detail).toContain('engine exited unexpectedly')
    expect(Date.now() - started).toBeLessThan(20_000)
    const seen = async () => {
      const { systemd } = await look(box(), { units: [`${flagship.name}.service`] })
      return systemd.known ? systemd.value.units[`${flagship.name}.service`] : systemd
    }
    const lastOutput = expect.arrayContaining([expect.stringContaining('engine exited unexpectedly')])
    await expect.poll(seen).toMatchObject({ subState: 'auto-restart', unchangedS: expect.any(Number), lastOutput })
  })
})
