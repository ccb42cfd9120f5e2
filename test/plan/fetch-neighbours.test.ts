import { describe, expect, it } from 'vitest'
import type { FetchFact } from '../../src/model/fetch.ts'
import type { SourceOrigin } from '../../src/model/fleet.ts'
import { known } from '../../src/model/observed.ts'
import { noPaint } from '../../src/report/paint.ts'
import { renderFetches } from '../../src/report/plan-fetch-text.ts'
import type { FetchCase } from '../../src/simulate/fetch/fetch-case.ts'
import { fetchPlan } from '../../src/simulate/fetch/fetch-plan.ts'
import { judgeFetch } from '../../src/simulate/fetch/judge.ts'
import { knownListing } from '../../src/simulate/fetch/known-listing.ts'
import { type Neighbours, suppliersOf } from '../../src/simulate/fetch/neighbours.ts'
import type { SourcedModel } from '../../src/simulate/fetch/order.ts'
import { digest, down, found, gib, half, job, listing, nothing, pinned, pinnedModel, wanted, whole } from './fetch-cases.ts'

const proved = (host: string, { files, digests }: FetchFact = whole): Neighbours['proved'] =>
  new Map(
    digests.map(({ path, digest: { kind, hex } }) => [
      `${kind}:${hex}`,
      files.filter((file) => file.path === path).map((file) => ({ host, file })),
    ]),
  )
const fleet = (fact: FetchFact = whole, more: Partial<Neighbours> = {}): Neighbours => ({
  seen: [{ host: 'nas', model: pinnedModel, fact }],
  unseen: [],
  proved: proved('nas', fact),
  ...more,
})
const empty: Neighbours = { seen: [{ host: 'nas', model: pinnedModel, fact: nothing }], unseen: [], proved: new Map() }
const from = (place: SourceOrigin, model: SourcedModel = pinnedModel): SourcedModel => ({
  ...model,
  source: { ...model.source, from: place },
})
const seen = (fact: FetchFact, model: SourcedModel = pinnedModel) => [{ host: 'nas', model, fact }]
const judge = (about: Partial<FetchCase>) => judgeFetch({ host: 'studio', model: pinnedModel, fact: known(nothing), ...about })

describe('where the files of a model come from', () => {
  it('is a host that has them, proved', () => {
    const { state, suppliers, order } = judge({ listing, neighbours: fleet() })
    expect(state).toBe('due')
    expect(order?.fetcher).toBe('auto')
    expect([...(suppliers ?? [])].map(([path, [first]]) => [path, first?.host])).toEqual(wanted.map(({ path }) => [path, 'nas']))
  })

  it.each<[string, Partial<FetchCase>]>([
    ['no host has any', { neighbours: empty }],
    ['no host was asked', {}],
    ['they come from the hub', { neighbours: fleet(), model: from('hub') }],
  ])('is the hub where %s', (_, about) => {
    const verdict = judge({ listing, ...about })
    expect(verdict).toMatchObject({ state: 'due', order: { fetcher: 'auto' } })
    expect(verdict.suppliers).toBeUndefined()
  })

  it('is never the host itself, nor one whose file has another size', () => {
    const [file] = wanted
    if (file === undefined) throw new Error('no file')
    expect(suppliersOf('nas', file, fleet())).toEqual([])
    expect(suppliersOf('studio', { ...file, bytes: 1 }, fleet())).toEqual([])
    expect(suppliersOf('studio', file, fleet())).toHaveLength(1)
  })

  it('is counted only for the missing bytes', () => {
    const { suppliers } = judge({ listing, neighbours: fleet(), fact: known(half) })
    expect([...(suppliers?.keys() ?? [])]).toEqual(wanted.map(({ path }) => path))
    expect(judge({ listing, neighbours: fleet(), fact: known(whole) })).toMatchObject({ state: 'complete' })
  })

  it('stands in the plan, in one line', () => {
    const about: FetchCase = {
      host: 'studio',
      model: pinnedModel,
      fact: known(half),
      listing,
      neighbours: { ...fleet(), proved: new Map([...fleet().proved].slice(0, 1)) },
    }
    const plan = fetchPlan({ about, verdict: judgeFetch(about) })
    expect(plan.from).toEqual([{ host: 'nas', files: 1, bytes: 30 * gib }])
    const lines = renderFetches({ fetches: [plan] }, { paint: noPaint, verbose: false })
    expect(lines.join('\n')).toContain('2 files, 30 GiB from nas and the hub')
  })
})

describe('a source that is of the fleet alone', () => {
  const model = from('fleet')

  it('is fetched by a job without a source', () => {
    expect(judge({ model, listing, neighbours: fleet() })).toMatchObject({ state: 'due', order: { fetcher: 'none' } })
  })

  it('needs no hub if the record of another host has its files', () => {
    for (const source of [undefined, down])
      expect(judge({ model, neighbours: fleet(), ...(source === undefined ? {} : { listing: source }) })).toMatchObject({
        state: 'due',
        commit: pinned,
        order: { files: [{ bytes: 40 * gib }, { bytes: 7 }] },
      })
  })

  it('is refused if no host has a file, and all were asked', () => {
    const refused = judge({ model, listing, neighbours: empty })
    expect(refused).toMatchObject({ state: 'refused', problem: { code: 'FETCH.NO_NEIGHBOUR' } })
    expect(refused.problem?.why).toBe(
      'On studio, /m/a.safetensors may only come from another host (from: fleet), and none of the other hosts with a model of its repository (nas) has it with a verified digest.',
    )
    const unseen = [{ host: 'box', why: 'it was not observed' }]
    expect(judge({ model, listing, neighbours: { ...empty, unseen } })).toMatchObject({ state: 'due' })
  })

  it('is not held back by a file that has arrived', () => {
    const arrived = wanted.map((file) => found(`${file.path}.${file.digest.hex.slice(0, 8)}.part`, file.bytes))
    const verdict = judge({ model, listing, neighbours: empty, fact: known({ ...nothing, files: arrived }) })
    expect(verdict).toMatchObject({ state: 'due', order: { fetcher: 'none' } })
  })
})

describe('what the fleet knows of a source', () => {
  it('is what the record of the same source at the pinned commit says', () => {
    expect(knownListing(pinnedModel, nothing, seen(whole))).toEqual(listing)
    expect(knownListing(pinnedModel, whole, [])).toEqual(listing)
  })

  it.each<[string, SourcedModel, FetchFact]>([
    ['a branch', { ...pinnedModel, source: { ...pinnedModel.source, revision: 'main' } }, whole],
    ['another commit', pinnedModel, { ...whole, job: job({ commit: 'd'.repeat(40) }) }],
    ['another repository', pinnedModel, { ...whole, job: job({ repo: 'org/other' }) }],
    [
      'a name that leads elsewhere',
      pinnedModel,
      { ...whole, job: job({ files: wanted.map((file) => ({ ...file, name: `../${file.name}` })) }) },
    ],
  ])('is not used for %s', (_, model, fact) => {
    expect(knownListing(model, nothing, seen(fact, model))).toBeUndefined()
  })

  it('is nothing where the other selects other files', () => {
    const other = { ...pinnedModel, source: { ...pinnedModel.source, files: ['a*'] } }
    expect(knownListing(pinnedModel, nothing, seen(whole, other))).toBeUndefined()
  })

  it('is what the inventory says, with sizes of files that were proved', () => {
    const source = { ...pinnedModel.source, files: [], sha256: { 'sub/coder.gguf': digest('a').hex } }
    const model: SourcedModel = { kind: 'A', path: '/m/coder.gguf', source: { ...source, revision: 'main' }, services: ['coder'] }
    const expected = [{ path: 'sub/coder.gguf', bytes: 40 * gib, digest: digest('a') }]
    expect(knownListing(model, nothing, seen(whole, model))).toEqual({ commit: pinned, files: expected })
    expect(knownListing(model, nothing, seen({ ...whole, digests: [] }, model))).toBeUndefined()
    // Of a folder it may say less than all.
    expect(knownListing({ ...model, kind: 'B' }, nothing, seen(whole, model))).toBeUndefined()
  })
})
