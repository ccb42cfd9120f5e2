import { readFileSync } from 'node:fs'
import { assert, integer, property, string, uniqueArray } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type AskedShard, askedShard, fromEnvironment } from '../../src/inventory/asked-shard.ts'
import { shardOfHost } from '../../src/inventory/shard-of-host.ts'
import { hostsInShard } from '../../src/run/open-shard.ts'

const folder = new URL('../fixtures/shards/', import.meta.url)

const read = (name: string) => parse(readFileSync(new URL(name, folder), 'utf8'))
const shardsOfHosts: Readonly<Record<string, Readonly<Record<string, number>>>> = read('hosts.yaml')

const names = uniqueArray(string({ minLength: 1, unit: 'grapheme' }), { maxLength: 60 })

describe('the shard of a host', () => {
  test.each(Object.entries(shardsOfHosts))('is the same everywhere: %s', (name, shards) => {
    for (const [of, index] of Object.entries(shards)) expect(shardOfHost(name, Number(of))).toBe(index)
  })

  test('is exactly one of them, whatever the order of the hosts and whichever others there are', () => {
    assert(
      property(names, integer({ min: 1, max: 40 }), integer(), (all, of, seed) => {
        const hosts = all.map((name) => ({ name }))
        const shuffled = hosts.toSorted((a, b) => ((a.name.length * 31 + seed) % 7) - ((b.name.length * 17 + seed) % 7))
        const taken = Array.from({ length: of }, (_, at) => hostsInShard(hosts, { index: at + 1, of }))
        expect(
          taken
            .flat()
            .map(({ name }) => name)
            .toSorted(),
        ).toEqual(all.toSorted())
        for (const [at, some] of taken.entries()) {
          const shard = { index: at + 1, of }
          expect(hostsInShard(shuffled, shard).length).toBe(some.length)
          expect(hostsInShard(hosts.slice(1), shard)).toEqual(some.filter(({ name }) => name !== all[0]))
        }
      }),
    )
  })

  test('spreads numbered hosts', () => {
    const hosts = Array.from({ length: 1000 }, (_, at) => ({ name: `host-${at}` }))
    const sizes = Array.from({ length: 8 }, (_, at) => hostsInShard(hosts, { index: at + 1, of: 8 }).length)
    expect(Math.min(...sizes)).toBeGreaterThan(95)
    expect(Math.max(...sizes)).toBeLessThan(155)
  })
})

interface Asked {
  readonly name: string
  readonly shard?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
  readonly takes?: string
  readonly fails?: string
}

const asking: readonly Asked[] = read('asked.yaml')
const ask = ({ shard = fromEnvironment, run, env = {} }: Asked) => askedShard(shard, run, env)

describe('what is asked for', () => {
  test.each(asking.filter(({ takes }) => takes !== undefined))('$name', (one) => {
    expect(inWords(ask(one))).toBe(one.takes)
  })

  test.each(asking.filter(({ fails }) => fails !== undefined))('is an error: $name', (one) => {
    const why = expect.stringContaining(one.fails ?? '')
    expect(() => ask(one)).toThrow(expect.objectContaining({ code: 'USAGE.SHARD', why }))
  })

  test('counts only for verbs that have shards', () => {
    expect(askedShard(undefined, undefined, { CONVERGE_SHARD: '1/2' })).toBeUndefined()
  })
})

function inWords(asked: AskedShard | undefined): string {
  if (asked === undefined) return 'all'
  const { index, of, from, run_id } = asked
  return `${index}/${of} (${from})${run_id === undefined ? '' : ` of ${run_id}`}`
}
