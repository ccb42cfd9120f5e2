import { anything, assert, jsonValue, object, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joined, jsonPieces } from '../../src/lib/json-pieces.ts'
import { mapStrings } from '../../src/lib/map-strings.ts'
import { stableJson, stablePieces } from '../../src/lib/stable-json.ts'
import { visibleJson } from '../../src/lib/visible-text.ts'

const deep = jsonValue({ maxDepth: 7 })
const withHoles = object({
  maxDepth: 6,
  withNullPrototype: false,
  values: [anything({ maxDepth: 0 }).filter((one) => typeof one !== 'bigint')],
})

const change = (text: string) => text.replaceAll('a', '***')
const same = (text: string) => text

describe('JSON in pieces', () => {
  it('is the JSON of the whole, at any depth', () => {
    assert(
      property(deep, (value) => {
        expect([...jsonPieces(value, change)].join('')).toBe(visibleJson(mapStrings(value, change)))
        expect([...stablePieces(value)].join('')).toBe(stableJson(value))
      }),
      { numRuns: 500 },
    )
  })

  it('leaves out what JSON has no word for', () => {
    assert(
      property(withHoles, (value) => {
        expect([...jsonPieces(value, same)].join('')).toBe(visibleJson(mapStrings(value, same)))
        expect([...stablePieces(value)].join('')).toBe(stableJson(value))
      }),
    )
  })

  it('shows control characters in names and texts as codes', () => {
    const document = { 'a\u001b': ['\u202e', { b: 'c\u0007\n' }] }
    const text = [...jsonPieces(document, (one) => one)].join('')
    expect(text).toBe(visibleJson(document))
    expect(JSON.parse(text)).toEqual(document)
  })

  it('is one string nowhere: each host of a document is a piece or more', () => {
    const hosts = Array.from({ length: 50 }, (_, index) => ({ host: `h${index}`, text: 'x'.repeat(1000) }))
    const longest = Math.max(...[...jsonPieces({ plan: { hosts } }, (one) => one)].map(({ length }) => length))
    expect(longest).toBeLessThan(1100)
    expect(Math.max(...[...stablePieces({ hosts })].map(({ length }) => length))).toBeLessThan(1100)
  })

  it('knows no name that is special', () => {
    expect(stableJson(JSON.parse('{"b":1,"__proto__":{"d":2,"c":3}}'))).toBe('{"__proto__":{"c":3,"d":2},"b":1}')
  })

  it('is of the same values where no text changes', () => {
    const document = { left: 'a', hosts: [{ host: 'nas' }, { host: 'box', text: ['a'] }] }
    const mapped = mapStrings(document, change, new Set(['left']))
    expect(mapped).toEqual({ left: 'a', hosts: [{ host: 'n***s' }, { host: 'box', text: ['***'] }] })
    expect(mapStrings(document, same)).toBe(document)
    expect(mapStrings(document, (text) => text.replace('nas', 'mini'))).toHaveProperty('hosts.1', document.hosts[1])
  })

  it('is written in larger parts', () => {
    expect([...joined(['a', 'bc', 'd', 'e'], 3)]).toEqual(['abc', 'de'])
    expect([...joined([])]).toEqual([])
  })
})
