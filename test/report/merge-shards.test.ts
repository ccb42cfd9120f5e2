import { assert, property, subarray } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareFleet } from '../../src/drift/compare-fleet.ts'
import { known } from '../../src/model/observed.ts'
import type { Problem } from '../../src/model/plan.ts'
import type { RunReport } from '../../src/model/report.ts'
import { Secret } from '../../src/model/secret.ts'
import type { Shard } from '../../src/model/shard.ts'
import { planFleet } from '../../src/plan/plan-fleet.ts'
import { mergedResult } from '../../src/report/kept-result.ts'
import { type Document, leavesHostsOut, mergeRuns, type WholeFleet } from '../../src/report/merge/merge-runs.ts'
import { noPaint } from '../../src/report/paint.ts'
import { hostsInShard, openShard } from '../../src/run/open-shard.ts'
import { aFleet, aHost, aService, someFacts } from '../support/build.ts'

const silent: Problem = { code: 'CONNECT.REFUSED', summary: 'No answer.', why: 'It refused.', next: [] }

const hosts = Array.from({ length: 24 }, (_, at) =>
  aHost({ name: `host-${at}`, services: [aService({ name: 'coder', host: `host-${at}` })] }),
)
const fleet = aFleet({ hosts })
const facts = new Map(hosts.map((host, at) => [host.name, at % 5 === 0 ? silent : someFacts(host)]))
const keys = new Map(hosts.map(({ name }) => [`${name}/coder`, known(new Secret('0123456789abcdef', 'env KEY'))]))
const whole: WholeFleet = { path: fleet.path, digest: fleet.digest, hosts: hosts.map(({ name }) => name) }

const makers: Readonly<Record<string, (names: readonly string[], now: string) => Document>> = {
  plan: (names, now) => planFleet({ fleet, facts, keys, selection: { hosts: names, services: ['*'] }, approvals: [], now }),
  drift: (names, now) =>
    compareFleet({
      fleet,
      facts: new Map([...facts].filter(([name]) => names.includes(name))),
      keys,
      selects: () => true,
      everything: true,
      now,
    }),
  apply: (names, now): RunReport => ({
    schema: 'converge/report/v1',
    verb: 'apply',
    run_id: `run-${now}`,
    started_at: now,
    finished_at: now,
    plan: planFleet({ fleet, facts, keys, selection: { hosts: names, services: ['*'] }, approvals: [], now }),
    hosts: hosts.flatMap(({ name }) => (names.includes(name) ? [{ host: name, reachable: true, actions: [], smoke: [] }] : [])),
    exit_code: 0,
  }),
}

interface Asked {
  readonly of: number
  readonly run_id?: string
  readonly selected?: typeof hosts
  readonly at?: number
}

function shard(verb: string, index: number, { of, run_id = 'monday', selected = hosts, at = index }: Asked): Document {
  const asked = { index, of, from: '--shard', ...(run_id === 'none' ? {} : { run_id }) }
  const names = hostsInShard(selected, asked).map(({ name }) => name)
  const now = new Date(Date.UTC(2026, 10, 1, 8, at)).toISOString()
  return { ...makers[verb]?.(names, now), shard: openShard(asked, selected).shard } as Document
}

const filed = (documents: readonly Document[]) => documents.map((document, at) => ({ file: `${at}.json`, document }))
const merge = (documents: readonly Document[], given?: WholeFleet) =>
  mergeRuns(filed(documents), (codes) => Math.max(...codes), given)

/** What differs between one run and several: when, who, and what it was merged from. */
function withoutTimes(document: Document): unknown {
  const { shards: _shards, ...rest } = document
  if (rest.schema !== 'converge/report/v1') return { ...rest, created_at: '' }
  const plan = rest.plan && withoutTimes(rest.plan)
  const { parts: _parts, ...report } = rest
  return { ...report, plan, run_id: '', started_at: '', finished_at: '' }
}

function edited(document: Document, change: Partial<Shard>): Document {
  return { ...document, shard: { ...document.shard, ...change } } as Document
}

describe('shards of one run', () => {
  test.each(['plan', 'drift', 'apply'])('make what one run would have made, in any order: %s', (verb) => {
    const expected = withoutTimes(makers[verb]?.(whole.hosts, '2026-11-01T08:00:00.000Z') as Document)
    for (const of of [1, 2, 5, 12]) {
      const parts = Array.from({ length: of }, (_, at) => shard(verb, at + 1, { of }))
      for (const documents of [parts, parts.toReversed(), [...parts.slice(1), ...parts.slice(0, 1)]]) {
        const merged = merge(documents, whole)
        expect(withoutTimes(merged)).toEqual(expected)
        expect(merged.shards).toEqual({ of, all_hosts: 24, run_id: 'monday', missing: [], unknown_hosts: 0, replaced: [] })
      }
    }
  })

  test.each(['plan', 'drift', 'apply'])('never make a smaller fleet when some are missing: %s', (verb) => {
    assert(
      property(subarray([1, 2, 3, 4, 5, 6, 7, 8], { minLength: 1, maxLength: 7 }), (given) => {
        const documents = given.map((index) => shard(verb, index, { of: 8 }))
        const missing = [1, 2, 3, 4, 5, 6, 7, 8].filter((index) => !given.includes(index))
        const unknown = missing.reduce((sum, index) => sum + hostsInShard(hosts, { index, of: 8 }).length, 0)
        const merged = merge(documents)
        expect(merged.shards).toMatchObject({ missing, unknown_hosts: unknown })
        expect(leavesHostsOut(filed(documents), undefined)).toBe(unknown > 0)
        const { summary } = merged.schema === 'converge/report/v1' ? (merged.plan ?? { summary: undefined }) : merged
        expect(summary?.hosts).toBe(24)
        const text = mergedResult(merged).text(noPaint)
        expect(text).toContain(`${24 - unknown} of 24 hosts`)
        expect(text).toContain(`missing: ${unknown} ${unknown === 1 ? 'host' : 'hosts'} unknown.`)
        const named = merge(documents, whole)
        const unseen = named.hosts.filter(({ problem }) => problem?.code === 'REPORT.SHARD_MISSING').map(({ host }) => host)
        expect(unseen).toEqual(
          hosts
            .filter(({ name }) => missing.some((index) => hostsInShard([{ name }], { index, of: 8 }).length > 0))
            .map(({ name }) => name),
        )
        expect(named.hosts.length).toBe(24)
      }),
      { numRuns: 12 },
    )
  })

  test('tell every format of a missing one', () => {
    const merged = merge([1, 2, 3].map((index) => shard('drift', index, { of: 4 })))
    const unknown = hostsInShard(hosts, { index: 4, of: 4 }).length
    const overview = mergedResult(merged).overview?.({ version: '1', issues: [], whereabouts: () => undefined })
    expect(overview?.headline).toMatch(new RegExp(`^Shard 4/4 is missing: ${unknown} hosts unknown\\. .*\\(24 hosts\\)`))
    expect(overview?.hosts.at(-1)).toMatchObject({
      host: '(shard 4/4)',
      reachable: false,
      problem: { code: 'REPORT.SHARD_MISSING' },
    })
  })

  test('count with their latest document if they were run again', () => {
    const [one, two, again] = [shard('apply', 1, { of: 2 }), shard('apply', 2, { of: 2 }), shard('apply', 1, { of: 2, at: 30 })]
    const merged = merge([again, two, one]) as RunReport
    expect(merged.run_id).toBe('run-2026-11-01T08:30:00.000Z+run-2026-11-01T08:02:00.000Z')
    expect(merged.shards?.replaced).toEqual([{ index: 1, at: '2026-11-01T08:01:00.000Z' }])
    expect(mergedResult(merged).text(noPaint)).toContain(
      'Shard 1/2 was run again; its document of 2026-11-01T08:01:00.000Z was left out.',
    )
  })

  const one = shard('plan', 1, { of: 2 })
  const unsharded = { ...shard('plan', 2, { of: 2 }) } as { shard?: unknown }
  delete unsharded.shard
  test.each<readonly [string, readonly Document[], string]>([
    ['given twice', [one, one], 'both of shard 1/2 and of the same time'],
    [
      'run again without a run id',
      [shard('plan', 1, { of: 2, run_id: 'none' }), shard('plan', 1, { of: 2, run_id: 'none', at: 9 })],
      'without --run-id they may be of two runs',
    ],
    ['of another number', [one, shard('plan', 2, { of: 3 })], 'are of 2 and of 3 shards'],
    ['of another run', [one, shard('plan', 2, { of: 2, run_id: 'tuesday' })], 'two runs: monday and tuesday'],
    ['of a run without an id', [one, shard('plan', 2, { of: 2, run_id: 'none' })], 'two runs: monday and no id'],
    ['of other hosts', [one, shard('plan', 2, { of: 2, selected: hosts.slice(3) })], 'shards of different hosts: 24 and 21'],
    ['beside a document that is none', [one, unsharded as Document], '0.json is of a shard, and 1.json is not'],
    ['with more hosts than were selected', [edited(one, { hosts: 99 })], 'more hosts than the 24 that were selected'],
    ['beyond the last', [edited(one, { index: 3 })], 'shard 3/2, which there is not'],
    ['merged before', [merge([one]), shard('plan', 2, { of: 2 })], 'was merged from shards before'],
  ])('are refused: %s', (_, documents, why) => {
    expect(() => merge(documents)).toThrow(
      expect.objectContaining({ code: 'REPORT.NO_SHARDS', why: expect.stringContaining(why) }),
    )
  })

  test('without hosts are no hole', () => {
    const few = hosts.slice(0, 1)
    const empty = hostsInShard(few, { index: 1, of: 2 }).length === 0 ? 1 : 2
    const merged = merge([shard('plan', 3 - empty, { of: 2, selected: few })])
    expect(merged).toMatchObject({ shards: { missing: [empty], unknown_hosts: 0 }, summary: { hosts: 1 } })
    expect(
      merge([shard('plan', empty, { of: 2, selected: few }), shard('plan', 3 - empty, { of: 2, selected: few })]).hosts.length,
    ).toBe(1)
  })
})
