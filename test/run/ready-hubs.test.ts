import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { writeGguf } from '../../simulation/gguf-writer.ts'
import { ConvergeError } from '../../src/errors/converge-error.ts'
import { mapValues } from '../../src/lib/map-values.ts'
import type { FetchFact } from '../../src/model/fetch.ts'
import type { ModelSource, SecretReference } from '../../src/model/fleet.ts'
import { known } from '../../src/model/observed.ts'
import { Secret } from '../../src/model/secret.ts'
import type { Observation } from '../../src/run/planning-run.ts'
import { type HubRun, readyHubs } from '../../src/run/ready-hubs.ts'
import { questionId } from '../../src/simulate/fetch/sources.ts'
import { systemClock } from '../../src/time/clock.ts'
import { aHost, aService, type ServiceOptions, someFacts } from '../support/build.ts'
import { startFakeHub } from '../support/fake-hub.ts'

const commit = 'a1'.repeat(20)
const repos = {
  'org/coder': { at: { main: commit }, files: { 'coder.gguf': 2_000_000 } },
  'org/gated': { at: { main: commit }, files: { 'gated.gguf': 2_000_000 } },
}
const sourceAt = (hub: string, more: Partial<ModelSource> = {}): ModelSource => ({
  hub,
  repo: 'org/coder',
  files: [],
  revision: 'main',
  ...more,
})

function runOf(sources: readonly (ModelSource | undefined)[], { resolve = openToken, ...more }: RunOptions = {}) {
  const services = sources.map((source, index) =>
    aService({
      name: `s${index}`,
      port: 9990 + index,
      model: { path: `/m/${index}.gguf`, ...(source === undefined ? {} : { source }) },
      ...more,
    }),
  )
  const run: HubRun = {
    context: { clock: systemClock, signal: new AbortController().signal, env: {} },
    open: { fleet: { hosts: [aHost({ services })] } },
    ...(resolve === null ? {} : { resolve }),
  }
  return { run, services }
}

interface RunOptions extends ServiceOptions {
  readonly resolve?: HubRun['resolve'] | null
}

const openToken = () => Promise.resolve(new Secret('hf_token', 'a test'))
const noToken = (reference: SecretReference) =>
  Promise.reject(new ConvergeError('SECRET.MISSING', { summary: 'No token.', why: JSON.stringify(reference), next: ['Set it.'] }))

const unseen: Observation = new Map()

async function answersTo({ run, services }: ReturnType<typeof runOf>, withinMs?: number, seen = unseen) {
  const { hubs } = await (await readyHubs(run, services, withinMs))(Promise.resolve(seen))
  return hubs
}

describe('what a plan asks hubs', () => {
  test('is each repository and revision once, whichever files and services want it', async () => {
    await using hub = await startFakeHub(repos)
    const sources = [sourceAt(hub.url), sourceAt(hub.url, { files: ['*'] }), undefined]
    const hubs = await answersTo(runOf(sources))
    expect(hubs).toEqual(
      new Map([[questionId(sourceAt(hub.url)), { commit, files: [expect.objectContaining({ path: 'coder.gguf' })] }]]),
    )
    expect(hub.asked).toHaveLength(2)
  })

  test('is nothing where no selected service has a source, or where hubs may not be asked', async () => {
    await using hub = await startFakeHub(repos)
    const one = sourceAt(hub.url)
    expect(await answersTo(runOf([undefined]))).toBeUndefined()
    expect(await answersTo(runOf([one], { state: 'absent' }))).toBeUndefined()
    expect(await answersTo(runOf([one], { resolve: null }))).toBeUndefined()
    expect(hub.asked).toEqual([])
  })

  test('is not known where a hub does not answer in time, and the others are heard', async () => {
    await using silent = await startFakeHub(repos)
    await using hub = await startFakeHub(repos)
    silent.behave('hang')
    const sources = [sourceAt(silent.url), sourceAt(hub.url)]
    const before = performance.now()
    const hubs = await answersTo(runOf(sources), 1000)
    expect(performance.now() - before).toBeLessThan(5000)
    expect(sources.map((source) => hubs?.get(questionId(source)))).toEqual([
      expect.objectContaining({ code: 'HUB.UNREACHABLE', why: expect.stringContaining('there was no answer in time') }),
      expect.objectContaining({ commit }),
    ])
  })

  test('is not known where its token cannot be had', async () => {
    await using hub = await startFakeHub(repos, { token: 'hf_token' })
    const gated = sourceAt(hub.url, { repo: 'org/gated', token: { env: 'HF_TOKEN' } })
    const denied = sourceAt(hub.url)
    const hubs = await answersTo(runOf([gated, denied], { resolve: noToken }))
    expect(hubs?.get(questionId(gated))).toMatchObject({ code: 'SECRET.MISSING' })
    expect(hubs?.get(questionId(denied))).toMatchObject({ code: 'MODEL.GATED' })
    expect(await answersTo(runOf([gated]))).toEqual(new Map([[questionId(gated), expect.objectContaining({ commit })]]))
  })

  test('is broken off by an interrupt', async () => {
    await using hub = await startFakeHub(repos)
    hub.behave('hang')
    const { run, services } = runOf([sourceAt(hub.url)])
    const interrupt = new AbortController()
    const ask = await readyHubs({ ...run, context: { ...run.context, signal: interrupt.signal } }, services)
    const asked = ask(Promise.resolve(unseen))
    setTimeout(() => interrupt.abort(new Error('interrupted')), 100)
    await expect(asked).rejects.toThrow('interrupted')
  })
})

const seenAs = (fetches: Readonly<Record<string, FetchFact>>): Observation =>
  new Map([['nas', { ...someFacts(aHost()), fetches: mapValues(fetches, known) }]])

describe('hubs are asked after the hosts', () => {
  const header = writeGguf({ 'general.architecture': { string: 'llama' }, 'llama.block_count': { u32: 7 } }, [])
  const newest = 'b2'.repeat(20)
  const shown = {
    'org/coder': { at: { main: newest }, history: [newest, commit], files: { '0.gguf': header, '1.gguf': header } },
  }
  const nothing = { files: [], digests: [], job: null }

  test('how a file begins that is still to come, and no other', async () => {
    await using hub = await startFakeHub(shown)
    const run = runOf([sourceAt(hub.url, { files: ['0.gguf'] }), sourceAt(hub.url, { files: ['1.gguf'] })])
    const digest = { kind: 'sha256', hex: createHash('sha256').update(header).digest('hex') } as const
    const file = { path: '/m/1.gguf', bytes: header.length, inode: '1', modified: 1, changed: 1 }
    const there = { files: [file], digests: [{ ...file, digest }], job: null }
    const hubs = await answersTo(run, undefined, seenAs({ '/m/0.gguf': nothing, '/m/1.gguf': there }))
    expect(hubs?.get(questionId(sourceAt(hub.url)))).toMatchObject({
      starts: new Map([['0.gguf', known(expect.objectContaining({ architecture: 'llama', blockCount: 7 }))]]),
    })
    expect(hub.asked.filter(({ path }) => path.includes('/resolve/')).map(({ path }) => path)).toEqual([
      `/org/coder/resolve/${newest}/0.gguf`,
    ])
  })

  test('how far a branch moved', async () => {
    await using hub = await startFakeHub(shown)
    const file = { path: '/m/0.gguf', bytes: 5, inode: '1', modified: 1, changed: 1 }
    const digest = { kind: 'sha256', hex: 'd'.repeat(64) } as const
    const job = {
      state: 'done',
      alive: false,
      repo: 'org/coder',
      commit,
      files: [{ path: file.path, bytes: 5, digest }],
    } as const
    const moved = { files: [file], digests: [{ ...file, digest }], job }
    const source = sourceAt(hub.url, { files: ['0.gguf'] })
    const hubs = await answersTo(runOf([source]), undefined, seenAs({ '/m/0.gguf': moved }))
    expect(hubs?.get(questionId(source))).toMatchObject({ ahead: new Map([[commit, 1]]) })
  })

  test('nothing more where the host was not seen', async () => {
    await using hub = await startFakeHub(shown)
    await answersTo(runOf([sourceAt(hub.url, { files: ['0.gguf'] })]))
    expect(hub.asked).toHaveLength(2)
  })
})
