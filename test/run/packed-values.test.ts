import { array, assert, constantFrom, integer, jsonValue, object, oneof, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stableJson } from '../../src/lib/stable-json.ts'
import { packed } from '../../src/run/packed-values.ts'

const key = oneof(string(), constantFrom('a', 'b', 'a\nb', '__proto__', '7'))
const values = array(object({ key, maxDepth: 3, values: [jsonValue({ maxDepth: 2 })] }), { maxLength: 80 })

describe('packed values', () => {
  it('read like the values, in any order', () => {
    assert(
      property(values, array(integer({ min: 0, max: 79 })), (whole, order) => {
        const plain: readonly object[] = JSON.parse(JSON.stringify(whole))
        const small = packed(plain, 0)
        expect(small).toHaveLength(plain.length)
        for (const index of order.filter((one) => one < plain.length)) {
          const [found, value] = [small[index], plain[index]]
          expect(JSON.stringify(found)).toBe(JSON.stringify(value))
          expect({ ...found }).toEqual({ ...value })
          expect(stableJson(found)).toBe(stableJson(value))
          expect(Object.keys(found ?? {})).toEqual(Object.keys(value ?? {}))
        }
      }),
    )
  })

  it('are read more often than fit in memory at once', () => {
    const many = Array.from({ length: 400 }, (_, index) => ({
      host: `h${index}`,
      reachable: true,
      text: [`${index}`.repeat(20_000)],
    }))
    const small = packed(many, 0)
    for (const index of [0, 399, 1, 200, 0]) expect(small[index]?.text).toEqual(many[index]?.text)
    expect(small.map(({ host }) => host)).toEqual(many.map(({ host }) => host))
  })

  it('have no members but their own, and cannot be changed', () => {
    const [one] = packed([{ host: 'nas', actions: [1] }], 0)
    expect(one).not.toHaveProperty('toString')
    expect('toJSON' in (one ?? {})).toBe(false)
    expect(() => Object.assign(one ?? {}, { host: 'box' })).toThrow(TypeError)
    expect(one?.host).toBe('nas')
  })
})
