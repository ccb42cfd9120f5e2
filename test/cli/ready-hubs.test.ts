import { describe, expect, test } from 'vitest'
import { type HubRun, readyHubs } from '../../src/cli/ready-hubs.ts'
import { ConvergeError } from '../../src/errors/converge-error.ts'
import type { ModelSource, SecretReference } from '../../src/model/fleet.ts'
import { Secret } from '../../src/model/secret.ts'
import { questionId } from '../../src/plan/fetch/sources.ts'
import { systemClock } from '../../src/time/clock.ts'
import { aService, type ServiceOptions } from '../support/build.ts'
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

async function answersTo({ run, services }: ReturnType<typeof runOf>, withinMs?: number) {
  const { hubs } = await (await readyHubs(run, services, withinMs))()
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
    expect(hubs?.get(questionId(denied))).toMatchObject({ code: 'HUB.DENIED' })
    expect(await answersTo(runOf([gated]))).toEqual(new Map([[questionId(gated), expect.objectContaining({ commit })]]))
  })

  test('is broken off by an interrupt', async () => {
    await using hub = await startFakeHub(repos)
    hub.behave('hang')
    const { run, services } = runOf([sourceAt(hub.url)])
    const interrupt = new AbortController()
    const ask = await readyHubs({ ...run, context: { ...run.context, signal: interrupt.signal } }, services)
    const asked = ask()
    setTimeout(() => interrupt.abort(new Error('interrupted')), 100)
    await expect(asked).rejects.toThrow('interrupted')
  })
})
