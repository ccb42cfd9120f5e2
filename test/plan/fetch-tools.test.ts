import { describe, expect, it } from 'vitest'
import type { FetchTool } from '../../src/model/fetch.ts'
import type { ModelSource } from '../../src/model/fleet.ts'
import { known } from '../../src/model/observed.ts'
import { judgeFetch } from '../../src/simulate/fetch/judge.ts'
import { digest, down, found, job, listing, model, nothing, pinned, pinnedModel, whole } from './fetch-cases.ts'

it('what was proved needs nothing that the tool of the hub wrote down', () => {
  const kept = { path: '/m/a.gguf', commit: pinned, sha256: 'a'.repeat(64) }
  const file = { name: 'Q4/a.gguf', path: '/m/a.gguf', bytes: 7, digest: digest('a') }
  const hashed = { ...found('/m/a.gguf', 7), digest: digest('a') }
  const source = { ...pinnedModel.source, files: ['Q4/a.gguf'], sha256: { 'Q4/a.gguf': 'a'.repeat(64) } }
  const about = { host: 'nas', model: { ...pinnedModel, kind: 'A', path: '/m/a.gguf', source }, listing: down } as const
  const there = { files: [found('/m/a.gguf', 7)], listed: [kept] }
  const proved = known({ ...there, digests: [hashed], job: job({ files: [file] }) })
  expect(judgeFetch({ ...about, fact: proved })).toMatchObject({ state: 'complete' })
  expect(judgeFetch({ ...about, fact: known({ ...there, digests: [], job: null }) })).toMatchObject({ state: 'due' })
})

it('a path that can be written in two ways is not fetched to', () => {
  for (const path of ['/m/', '/m//x', '/m/../x', 'm', '/m/*'])
    expect(judgeFetch({ host: 'nas', model: { ...model, path }, fact: known(nothing), listing })).toMatchObject({
      state: 'refused',
      problem: { code: 'FETCH.FILES' },
    })
})

it('what the tool of the hub put there is verified without the hub', () => {
  const file = { path: '/m/a.gguf', commit: pinned, sha256: 'a'.repeat(64) }
  const fact = known({ ...nothing, files: [found('/m/a.gguf', 7)], listed: [file] })
  const verdict = judgeFetch({ host: 'nas', model: { ...pinnedModel, kind: 'A', path: '/m/a.gguf' }, fact, listing: down })
  expect(verdict).toMatchObject({
    state: 'due',
    files: [{ state: 'unverified' }],
    order: { commit: pinned, files: [{ path: '/m/a.gguf', bytes: 7, digest: digest('a') }] },
  })
})

describe('what a host has to fetch with', () => {
  const token = { env: 'HF_TOKEN' }
  it.each<[readonly FetchTool[], Partial<ModelSource>, string]>([
    [['curl', 'openssl'], {}, 'due'],
    [['wget', 'sha256sum'], {}, 'due'],
    [['wget', 'sha256sum'], { token }, 'MODEL.NO_FETCHER'],
    [['hf', 'shasum'], { token }, 'due'],
    [['hf', 'shasum'], { fetcher: 'http' }, 'MODEL.NO_FETCHER'],
    [['curl', 'openssl'], { fetcher: 'hub' }, 'MODEL.NO_FETCHER'],
    [['huggingface-cli', 'openssl'], { fetcher: 'hub' }, 'due'],
    [['curl'], {}, 'MODEL.NO_FETCHER'],
    [['openssl'], {}, 'MODEL.NO_FETCHER'],
    [[], {}, 'MODEL.NO_FETCHER'],
  ])('%s with %o: %s', (tools, source, outcome) => {
    const fact = known({ ...nothing, tools })
    const verdict = judgeFetch({ host: 'nas', model: { ...model, source: { ...model.source, ...source } }, fact, listing })
    expect(verdict.problem?.code ?? verdict.state).toBe(outcome)
  })

  it('does not matter for what is only to be verified', () => {
    const fact = known({ ...whole, digests: [], job: null, tools: ['openssl'] } as const)
    expect(judgeFetch({ host: 'nas', model, fact, listing })).toMatchObject({ state: 'due' })
  })
})
