import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ConvergeError } from '../../src/errors/converge-error.ts'
import { parseHostPattern } from '../../src/inventory/host-pattern.ts'
import type { HostPattern, HostTerm } from '../../src/inventory/host-term.ts'
import { playHosts, selectHosts } from '../../src/inventory/select.ts'
import { fleetOf } from './host-pattern-fixtures.ts'

const letters = Array.from('abc1.-')
const name = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 4 })

/** A fleet whose groups overlap as they like; `all` holds every host. */
const aFleet = fc
  .record({
    hosts: fc.uniqueArray(name, { minLength: 1, maxLength: 8 }),
    groups: fc.dictionary(name, fc.array(fc.nat(7), { maxLength: 6 }), { maxKeys: 4 }),
  })
  .map(({ hosts, groups }) => ({
    hosts,
    groups: Object.entries(groups).map(([group, members]) => ({
      name: group,
      hosts: [...new Set(members.flatMap((member) => hosts[member] ?? []))],
      children: [],
    })),
  }))
  .map(({ hosts, groups }) => fleetOf(hosts, [{ name: 'all', hosts, children: [] }, ...groups]))

const glob = fc.array(fc.oneof(fc.constantFrom(...letters, '*', '?'), fc.constantFrom('[ab]', '[!a]')), {
  minLength: 1,
  maxLength: 4,
})
const atom = glob.map((parts) => parts.join('')).filter((text) => !text.endsWith(']'))
const term = fc.tuple(fc.constantFrom('', '&', '!'), atom).map(([op, text]) => `${op}${text}`)

type Parts = Pick<HostTerm, 'op' | 'wanted' | 'subscript'>
type SomeFleet = Parameters<typeof selectHosts>[0]

/** Empty where the pattern is refused: what the laws are about is which hosts come out. */
function select(fleet: SomeFleet, text: string): readonly string[] {
  try {
    return selectHosts(fleet, parseHostPattern(text))
  } catch (error) {
    if (error instanceof ConvergeError && ['USAGE.NO_HOSTS', 'USAGE.UNKNOWN_HOST'].includes(error.code)) return []
    throw error
  }
}

/** A glob that is none of a fleet's plain names, so that it is never refused for being unknown. */
const someGlob = atom.map((text) => `${text}*`)

describe('the algebra of host patterns', () => {
  test('the same term twice is the same as once', () => {
    fc.assert(
      fc.property(aFleet, term, (fleet, one) => {
        expect(select(fleet, `${one},${one}`)).toEqual(select(fleet, `${one},`))
      }),
    )
  })

  test('a union holds exactly what either side selects, the first side first', () => {
    fc.assert(
      fc.property(aFleet, someGlob, someGlob, (fleet, one, other) => {
        const expected = [...new Set([...select(fleet, `${one},`), ...select(fleet, `${other},`)])]
        expect(select(fleet, `${one},${other}`)).toEqual(expected)
      }),
    )
  })

  test('an exclusion removes its hosts and nothing else, and leaves the order', () => {
    fc.assert(
      fc.property(aFleet, someGlob, someGlob, (fleet, one, other) => {
        const excluded = new Set(select(fleet, `${other},`))
        expect(select(fleet, `${one},!${other}`)).toEqual(select(fleet, `${one},`).filter((host) => !excluded.has(host)))
      }),
    )
  })

  test('an intersection keeps what both select, in the order of the first', () => {
    fc.assert(
      fc.property(aFleet, someGlob, someGlob, (fleet, one, other) => {
        const kept = new Set(select(fleet, `${other},`))
        expect(select(fleet, `${one},&${other}`)).toEqual(select(fleet, `${one},`).filter((host) => kept.has(host)))
      }),
    )
  })

  test('where an intersection or an exclusion stands does not matter', () => {
    fc.assert(
      fc.property(aFleet, fc.array(term, { minLength: 1, maxLength: 5 }), fc.nat(), (fleet, terms, seed) => {
        const plain = terms.filter((one) => !/^[&!]/.test(one))
        const others = terms.filter((one) => /^[&!]/.test(one))
        const cut = seed % (others.length + 1)
        const shuffled = [...others.slice(cut), ...plain, ...others.slice(0, cut)]
        expect(select(fleet, `${shuffled.join(',')},`)).toEqual(select(fleet, `${terms.join(',')},`))
      }),
    )
  })

  test('exclusions alone start from every host', () => {
    fc.assert(
      fc.property(aFleet, atom, (fleet, one) => {
        expect(select(fleet, `!${one},`)).toEqual(select(fleet, `all,!${one}`))
      }),
    )
  })

  test('nothing is selected twice, and nothing that the fleet does not have', () => {
    fc.assert(
      fc.property(aFleet, fc.array(term, { minLength: 1, maxLength: 6 }), (fleet, terms) => {
        const selected = select(fleet, `${terms.join(',')},`)
        const known = new Set(fleet.hosts.map((host) => host.name))
        expect(new Set(selected).size).toBe(selected.length)
        expect(selected.filter((host) => !known.has(host))).toEqual([])
      }),
    )
  })

  test('a limit never adds a host and never changes the order', () => {
    fc.assert(
      fc.property(aFleet, someGlob, someGlob, (fleet, one, limit) => {
        const unlimited = select(fleet, `${one},`)
        fc.pre(unlimited.length > 0)
        const within = select(fleet, `${limit},`)
        expect(playHosts(fleet, `${one},`, within)).toEqual(unlimited.filter((host) => within.includes(host)))
      }),
    )
  })
})

describe('reading and printing', () => {
  const subscript = fc.oneof(
    fc.integer({ min: -9, max: 9 }).map((index) => ({ index })),
    fc.nat(9).map((first) => ({ first })),
    fc.tuple(fc.nat(9), fc.nat(9)).map(([first, more]) => ({ first, last: first + more })),
  )
  const wanted = fc.oneof(
    fc.string({ unit: fc.constantFrom(...letters), minLength: 1 }).map((text) => ({ by: 'name' as const, name: text })),
    atom.filter((text) => /[*?[]/.test(text)).map((text) => ({ by: 'glob' as const, glob: text })),
    fc.constantFrom('^a|b$', '(?i)web', '[^:]+', 'a(b)?c').map((source) => ({ by: 'regex' as const, source })),
  )
  const parts = fc.record(
    { op: fc.constantFrom('union', 'intersect', 'exclude'), wanted, subscript },
    { requiredKeys: ['op', 'wanted'] },
  )
  test('what is printed is read back the same', () => {
    fc.assert(
      fc.property(fc.array(parts, { minLength: 1, maxLength: 5 }), (written) => {
        const terms = written.map((one) => (one.wanted.by === 'regex' ? { op: one.op, wanted: one.wanted } : one)) as Parts[]
        const pattern = parseHostPattern(print(terms))
        expect(withoutPlaces(pattern)).toEqual(terms)
      }),
    )
  })

  test('reading never ends in anything but a pattern or an error with a code', () => {
    const noise = fc.string({ unit: fc.constantFrom(...Array.from('ab1,:!&~[]()*+?{}|\\^$.-@ <=P#i')), maxLength: 14 })
    fc.assert(
      fc.property(noise, (text) => {
        expect(termsOrCode(text).every((one) => text.includes(one) || one.startsWith('USAGE.'))).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })
})

/** A comma at the end keeps `:` from separating. */
function print(terms: readonly Parts[]): string {
  return `${terms.map(printTerm).join(', ')},`
}

function printTerm({ op, wanted: { ...what }, subscript: picked }: Parts): string {
  const text = what.by === 'name' ? what.name : what.by === 'glob' ? what.glob : `~${what.source}`
  return `${{ union: '', intersect: '&', exclude: '!' }[op]}${text}${picked === undefined ? '' : printSubscript(picked)}`
}

function printSubscript(picked: NonNullable<HostTerm['subscript']>): string {
  return 'index' in picked ? `[${picked.index}]` : `[${picked.first}:${picked.last ?? ''}]`
}

function withoutPlaces(pattern: HostPattern): readonly Parts[] {
  return pattern.terms.map(({ op, wanted: what, subscript: picked }) =>
    picked === undefined ? { op, wanted: what } : { op, wanted: what, subscript: picked },
  )
}

function termsOrCode(text: string): readonly string[] {
  try {
    return parseHostPattern(text).terms.map((one) => one.text)
  } catch (error) {
    if (error instanceof ConvergeError) return [error.code]
    throw error
  }
}
