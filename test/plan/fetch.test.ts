import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FetchFact, type FetchJob, type FoundFile, fetchFailures, type WantedFile } from '../../src/model/fetch.ts'
import { known, unknown } from '../../src/model/observed.ts'
import { type FetchCase, judgeFetch } from '../../src/plan/fetch/judge.ts'
import { type Listing, orderOf, type SourcedModel } from '../../src/plan/fetch/order.ts'
import { bytesToFetch, filesOnHost } from '../../src/plan/fetch/state.ts'

const gib = 1024 ** 3
const pinned = 'c'.repeat(40)
const newer = 'e'.repeat(40)
const digest = (letter: string) => ({ kind: 'sha256', hex: letter.repeat(64) }) as const

const model: SourcedModel = {
  kind: 'B',
  path: '/m',
  source: { hub: 'https://hub', repo: 'org/coder', files: [], revision: 'main' },
  services: ['coder'],
}
const pinnedModel: SourcedModel = { ...model, source: { ...model.source, revision: pinned } }
const listing: Listing = {
  commit: pinned,
  files: [
    { path: 'a.safetensors', bytes: 40 * gib, digest: digest('a') },
    { path: 'sub/b.json', bytes: 7, digest: digest('b') },
  ],
}
const wanted: readonly WantedFile[] = listing.files.map((file) => ({ ...file, name: file.path, path: `/m/${file.path}` }))
const down = { code: 'HUB.UNREACHABLE', why: 'it does not answer.', next: [] }

const found = (path: string, bytes: number, inode = '1'): FoundFile => ({ path, bytes, inode, modified: 2, changed: 3 })
const job = (more: Partial<FetchJob> = {}): FetchJob => ({
  state: 'done',
  alive: false,
  repo: 'org/coder',
  commit: pinned,
  files: wanted,
  ...more,
})
const nothing: FetchFact = { files: [], digests: [], job: null }
const whole: FetchFact = {
  files: wanted.map(({ path, bytes }) => found(path, bytes)),
  digests: wanted.map((file) => ({ ...found(file.path, file.bytes), digest: file.digest })),
  job: job(),
}
const half: FetchFact = { files: [found('/m/a.safetensors.aaaaaaaa.part', 10 * gib)], digests: [], job: null }
const disk = (freeBytes: number, mount?: string) =>
  known({ freeBytes, totalBytes: 1e15, ...(mount === undefined ? {} : { mount }) })

type Row = readonly [name: string, about: Partial<FetchCase>, state: string, code: string | undefined, more?: object]

const rows: readonly Row[] = [
  ['is all there', { fact: known(whole), listing }, 'complete', undefined],
  ['is all there, on a full disk', { fact: known(whole), listing, disk: disk(0) }, 'complete', undefined],
  ['was there before anybody fetched it', { fact: known({ ...whole, digests: [], job: null }), listing }, 'due', undefined],
  ['is not there', { listing }, 'due', undefined],
  [
    'is there by half',
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
    'failed once, and is there',
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
  ['fits where a part is there', { fact: known(half), listing, disk: disk(32 * gib) }, 'due', undefined],
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
    'is proved but for a file that is wanted now',
    {
      model: { ...pinnedModel, source: { ...pinnedModel.source, files: ['*', 'tokenizer*'] } },
      fact: known(whole),
      listing: down,
    },
    'unknown',
    'HUB.UNREACHABLE',
  ],
  [
    'is there by half, and its hub is down',
    { model: pinnedModel, fact: known({ ...half, job: job() }), listing: down },
    'unknown',
    'HUB.UNREACHABLE',
  ],
  ['is proved, and nobody asked', { fact: known(whole) }, 'complete', undefined],
  [
    'is proved at another commit, and nobody asked',
    { model: { ...model, source: { ...model.source, revision: newer } }, fact: known(whole) },
    'due',
    undefined,
  ],
  ['is not there, and nobody asked', {}, 'due', undefined],
  [
    'failed, and nobody asked',
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
      'On nas, 30 GiB of /m are still to come (and 5 % to spare), and 30 GiB are free on /vol. Nothing was fetched.',
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

const number = fc.nat({ max: 3 })
const paths = wanted.flatMap(({ path }, index) => {
  const stem = `${path}.${(['a', 'b'][index] ?? '').repeat(8)}`
  return [path, `${stem}.part`, `${stem}.piece-0`, `${stem}.piece-2`, `${stem}.piece-x`, `${path}.ffffffff.part`]
})
const arbitraryFound = fc.record({
  path: fc.constantFrom(...paths),
  bytes: fc.oneof(number, fc.constantFrom(7, 40 * gib, 2 ** 49)),
  inode: number.map(String),
  modified: number,
  changed: number,
})
const arbitraryFact = fc.record({
  files: fc.uniqueArray(arbitraryFound, { selector: ({ path }) => path }),
  digests: fc.uniqueArray(
    arbitraryFound.chain((one) => fc.constantFrom('a', 'b').map((letter) => ({ ...one, digest: digest(letter) }))),
    { selector: ({ path }) => path },
  ),
  job: fc.oneof(
    fc.constant(null),
    fc.record({
      state: fc.constantFrom('working' as const, 'done' as const, 'failed' as const, 'stopped' as const),
      alive: fc.boolean(),
      repo: fc.constantFrom('org/coder', 'org/x'),
      commit: fc.constantFrom(pinned, newer),
      files: fc.constantFrom(wanted, wanted.slice(0, 1), []),
    }),
  ),
})

it('is never complete without an equal stamp and digest of each file, and never more than its size is there', () => {
  const seen = { complete: 0, partial: 0 }
  fc.assert(
    fc.property(
      arbitraryFact,
      fc.boolean(),
      fc.constantFrom(listing, down, undefined),
      fc.boolean(),
      (fact, prove, asked, isPinned) => {
        const own = prove
          ? { ...fact, digests: fact.files.map((one) => ({ ...one, digest: digest(one.path.includes('/a.') ? 'a' : 'b') })) }
          : fact
        const files = filesOnHost(wanted, own)
        expect(bytesToFetch(files)).toBeGreaterThanOrEqual(0)
        for (const file of files) {
          expect(file.have).toBeGreaterThanOrEqual(0)
          expect(file.have).toBeLessThanOrEqual(file.bytes)
          if (file.state === 'partial') seen.partial += 1
          if (file.state !== 'complete') continue
          const { path, bytes, inode, modified, changed } = own.files.find((one) => one.path === file.path) ?? found('', 0)
          expect(own.digests).toContainEqual({ path, bytes, inode, modified, changed, digest: file.digest })
        }
        const about = {
          host: 'nas',
          model: isPinned ? pinnedModel : model,
          fact: known(own),
          ...(asked === undefined ? {} : { listing: asked }),
        }
        const { state } = judgeFetch(about)
        if (state !== 'complete') return
        seen.complete += 1
        const { job: record } = own
        const byHub = files.every((one) => one.state === 'complete')
        const byRecord =
          record !== null && record.files.length > 0 && record.repo === 'org/coder' && (!isPinned || record.commit === pinned)
        expect(asked === listing ? byHub : byRecord && (asked !== down || isPinned)).toBe(true)
      },
    ),
    { numRuns: 5000, seed: 1 },
  )
  expect(seen.complete).toBeGreaterThan(0)
  expect(seen.partial).toBeGreaterThan(0)
})
