import { describe, expect, it } from 'vitest'
import { fetchFailures } from '../../src/model/fetch.ts'
import { known, unknown } from '../../src/model/observed.ts'
import type { FetchCase } from '../../src/simulate/fetch/fetch-case.ts'
import { judgeFetch } from '../../src/simulate/fetch/judge.ts'
import { orderOf } from '../../src/simulate/fetch/order.ts'
import {
  digest,
  down,
  found,
  gib,
  half,
  job,
  listing,
  model,
  newer,
  nothing,
  pinned,
  pinnedModel,
  wanted,
  whole,
} from './fetch-cases.ts'

const disk = (freeBytes: number, mount?: string) =>
  known({ freeBytes, totalBytes: 1e15, ...(mount === undefined ? {} : { mount }) })

type Row = readonly [name: string, about: Partial<FetchCase>, state: string, code: string | undefined, more?: object]

const putByTool = (path: string, commit: string): Partial<FetchCase> => ({
  model: { ...pinnedModel, kind: 'A', path },
  fact: known({ ...nothing, files: [found(path, 7)], listed: [{ path, commit, sha256: 'a'.repeat(64) }] }),
  listing: down,
})

const rows: readonly Row[] = [
  ['is all there', { fact: known(whole), listing }, 'complete', undefined],
  ['was put there by the tool of the hub at another commit', putByTool('/m/a.gguf', newer), 'unknown', 'HUB.UNREACHABLE'],
  ['was put there in part by that tool', putByTool('/m/a-00001-of-00002.gguf', pinned), 'unknown', 'HUB.UNREACHABLE'],
  [
    'was fetched with a narrower selection, and its hub is down',
    { model: pinnedModel, fact: known({ ...whole, job: job({ selection: ['*.safetensors'] }) }), listing: down },
    'unknown',
    'HUB.UNREACHABLE',
  ],
  ['is all there, on a full disk', { fact: known(whole), listing, disk: disk(0) }, 'complete', undefined],
  ['was there before a fetch', { fact: known({ ...whole, digests: [], job: null }), listing }, 'due', undefined],
  ['is missing', { listing }, 'due', undefined],
  [
    'is half there',
    { fact: known(half), listing },
    'due',
    undefined,
    {
      files: [
        { state: 'partial', have: 10 * gib },
        { state: 'missing', have: 0 },
      ],
    },
  ],
  ['comes now', { fact: known({ ...half, job: job({ state: 'working', alive: true }) }), listing }, 'fetching', undefined],
  [
    'comes now, whatever the hub says',
    { fact: known({ ...half, job: job({ state: 'working', alive: true }) }), listing: down },
    'fetching',
    undefined,
  ],
  [
    'was to come when its job was killed',
    { fact: known({ ...half, job: job({ state: 'working' }) }), listing },
    'due',
    undefined,
  ],
  ['was stopped', { fact: known({ ...half, job: job({ state: 'stopped' }) }), listing }, 'stopped', undefined],
  [
    'was stopped at another commit',
    { fact: known({ ...half, job: job({ state: 'stopped', commit: newer }) }), listing },
    'due',
    undefined,
  ],
  ['failed', { fact: known({ ...half, job: job({ state: 'failed', reason: 'full' }) }), listing }, 'failed', 'MODEL.NO_SPACE'],
  [
    'failed once, and is complete',
    { fact: known({ ...whole, job: job({ state: 'failed', reason: 'full' }) }), listing },
    'complete',
    undefined,
  ],
  ['cannot be seen', { fact: unknown('not-permitted'), listing }, 'unknown', 'FACT.UNKNOWN'],
  ['has two sources', { model: { ...model, rivals: ['other'] }, fact: known(whole), listing }, 'refused', 'FETCH.SOURCES'],
  [
    'has no file that is meant',
    { model: { ...model, source: { ...model.source, files: ['*.gguf'] } }, listing },
    'refused',
    'FETCH.FILES',
  ],
  [
    'is named otherwise',
    {
      model: { ...model, kind: 'A', path: '/m/x.gguf' },
      listing: { ...listing, files: [{ path: 'y.gguf', bytes: 1, digest: digest('a') }] },
    },
    'refused',
    'FETCH.FILES',
  ],
  [
    'is something else',
    { fact: known({ ...nothing, files: [found('/m/sub/b.json', 8)] }), listing },
    'refused',
    'MODEL.DIGEST_MISMATCH',
  ],
  [
    'has the size and another digest',
    {
      fact: known({
        ...nothing,
        files: [found('/m/sub/b.json', 7)],
        digests: [{ ...found('/m/sub/b.json', 7), digest: digest('f') }],
      }),
      listing,
    },
    'refused',
    'MODEL.DIGEST_MISMATCH',
  ],
  [
    'was touched since its digest was taken',
    { fact: known({ ...whole, files: wanted.map(({ path, bytes }) => found(path, bytes, '9')) }), listing },
    'due',
    undefined,
  ],
  [
    'is another now',
    { fact: known(whole), listing: { commit: newer, files: [{ path: 'a.safetensors', bytes: 9, digest: digest('d') }] } },
    'refused',
    'MODEL.MOVED',
  ],
  ['has a new commit with the same files', { fact: known(whole), listing: { ...listing, commit: newer } }, 'complete', undefined],
  [
    'is another by the inventory',
    {
      model: { ...model, source: { ...model.source, revision: newer } },
      fact: known(whole),
      listing: { commit: newer, files: [{ path: 'a.safetensors', bytes: 9, digest: digest('d') }] },
    },
    'refused',
    'MODEL.DIGEST_MISMATCH',
  ],
  // 40 GiB and 7 bytes, and 5 %.
  ['fits', { listing, disk: disk(42 * gib + 8) }, 'due', undefined],
  ['does not fit', { listing, disk: disk(42 * gib, '/vol') }, 'refused', 'MODEL.NO_SPACE'],
  ['fits because a part is there', { fact: known(half), listing, disk: disk(32 * gib) }, 'due', undefined],
  ['may fit', { listing, disk: unknown('unreadable') }, 'due', undefined],
  ['is proved, and its hub is down', { model: pinnedModel, fact: known(whole), listing: down }, 'complete', undefined],
  ['is proved at a branch, and its hub is down', { fact: known(whole), listing: down }, 'unknown', 'HUB.UNREACHABLE'],
  [
    'is proved at another commit, and its hub is down',
    { model: { ...model, source: { ...model.source, revision: newer } }, fact: known(whole), listing: down },
    'unknown',
    'HUB.UNREACHABLE',
  ],
  [
    'is proved of another repository, and its hub is down',
    { model: { ...pinnedModel, source: { ...pinnedModel.source, repo: 'org/x' } }, fact: known(whole), listing: down },
    'unknown',
    'HUB.UNREACHABLE',
  ],
  [
    'is proved but for a file that is desired now',
    {
      model: { ...pinnedModel, source: { ...pinnedModel.source, files: ['*', 'tokenizer*'] } },
      fact: known(whole),
      listing: down,
    },
    'unknown',
    'HUB.UNREACHABLE',
  ],
  [
    'is half there, and its hub is down',
    { model: pinnedModel, fact: known({ ...half, job: job() }), listing: down },
    'unknown',
    'HUB.UNREACHABLE',
  ],
  ['is proved, and no hub was asked', { fact: known(whole) }, 'complete', undefined],
  [
    'is proved at another commit, and no hub was asked',
    { model: { ...model, source: { ...model.source, revision: newer } }, fact: known(whole) },
    'due',
    undefined,
  ],
  ['is missing, and no hub was asked', {}, 'due', undefined],
  [
    'failed, and no hub was asked',
    { fact: known({ ...half, job: job({ state: 'failed', reason: 'denied' }) }) },
    'failed',
    'HUB.DENIED',
  ],
  [
    'was recorded without a file',
    { model: pinnedModel, fact: known({ ...nothing, job: job({ files: [] }) }), listing: down },
    'unknown',
    'HUB.UNREACHABLE',
  ],
]

describe('a model', () => {
  it.each(rows.map(([name, about, state, code, more = {}]) => ({ name, about, state, code, more })))(
    'that $name',
    ({ about, state, code, more }) => {
      const verdict = judgeFetch({ host: 'nas', model, fact: known(nothing), ...about })
      expect(verdict).toMatchObject({ state, ...more })
      expect(verdict.problem?.code).toBe(code)
      expect(verdict.problem?.why ?? '').not.toContain('undefined')
      // Only what is to be fetched has an order.
      expect(verdict.order !== undefined).toBe(
        about.listing !== undefined && 'files' in about.listing && ['due', 'stopped', 'failed'].includes(state),
      )
    },
  )

  it.each(fetchFailures)('whose job failed as %s says why, and what to do', (reason) => {
    const fact = known({ ...half, job: job({ state: 'failed', reason, path: '/m/a.safetensors' }) })
    const { state, problem } = judgeFetch({ host: 'nas', model, fact, listing })
    expect(state).toBe('failed')
    expect(problem?.why).toMatch(/^On nas, \/m\/a\.safetensors: .+\.$/)
    expect(problem?.next.length).toBeGreaterThan(0)
  })

  it('says how much 40 GB is, and where it does not fit', () => {
    const { problem } = judgeFetch({ host: 'nas', model, fact: known(half), listing, disk: disk(30 * gib, '/vol') })
    expect(problem?.why).toBe(
      'On nas, 30 GiB of /m are still missing (plus 5 % reserve), but 30 GiB are free on /vol. Nothing was fetched.',
    )
  })

  it('of which shards lie in a folder is fetched beside its path', () => {
    const files = ['1', '2'].map((part) => ({ path: `Q4/x-0000${part}-of-00002.gguf`, bytes: 1, digest: digest(part) }))
    const order = orderOf({ ...model, kind: 'A', path: '/m/x-00001-of-00002.gguf' }, { commit: pinned, files })
    expect(order).toMatchObject({
      hub: 'https://hub',
      repo: 'org/coder',
      commit: pinned,
      files: [
        { name: 'Q4/x-00001-of-00002.gguf', path: '/m/x-00001-of-00002.gguf' },
        { name: 'Q4/x-00002-of-00002.gguf', path: '/m/x-00002-of-00002.gguf' },
      ],
    })
  })

  it('is fetched without what lies in folders with a dot, which no host looks into', () => {
    const more = ['.gitattributes', '.github/x', 'a/.b/c'].map((path) => ({ path, bytes: 1, digest: digest('f') }))
    const order = orderOf(model, { commit: pinned, files: [...listing.files, ...more] })
    expect(typeof order === 'string' ? order : order.files.map(({ name }) => name)).toEqual([
      '.gitattributes',
      'a.safetensors',
      'sub/b.json',
    ])
  })
})
