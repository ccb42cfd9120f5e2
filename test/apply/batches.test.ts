import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isOverLimit, makeBatches } from '../../src/apply/batches.ts'
import type { BatchSize } from '../../src/model/playbook.ts'

const size: fc.Arbitrary<BatchSize> = fc.oneof(
  fc.record({ count: fc.integer({ min: 1, max: 300 }) }),
  fc.record({ percent: fc.integer({ min: 1, max: 100 }) }),
)
const hosts = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 4 }), { maxLength: 200 })

describe('batches', () => {
  it('hold every host exactly once, in order, and none is empty', () => {
    fc.assert(
      fc.property(hosts, fc.option(fc.array(size, { maxLength: 5 }), { nil: undefined }), (all, sizes) => {
        const batches = makeBatches(all, sizes)
        expect(batches.flat()).toEqual(all)
        expect(batches.every((batch) => batch.length > 0)).toBe(true)
      }),
    )
  })

  it.each([
    [10, undefined, [10]],
    [10, [{ count: 1 }], Array(10).fill(1)],
    [10, [{ count: 1 }, { percent: 25 }, { percent: 100 }], [1, 2, 7]],
    [10, [{ count: 3 }], [3, 3, 3, 1]],
    [3, [{ percent: 10 }], [1, 1, 1]],
    [4, [{ count: 9 }], [4]],
    [0, [{ count: 1 }], []],
  ] as const)('of %i hosts in %j have sizes %j', (count, sizes, expected) => {
    const all = Array.from({ length: count }, (_, index) => `h${index}`)
    expect(makeBatches(all, sizes).map((batch) => batch.length)).toEqual(expected)
  })

  it.each([
    [0, 4, 0, false],
    [1, 4, 0, true],
    [1, 4, 25, false],
    [2, 4, 25, true],
    [1, 3, 33, true],
    [4, 4, 100, false],
  ])('%i failed of %i with %i %% allowed: stop is %s', (failed, all, allowed, stop) => {
    expect(isOverLimit(failed, all, allowed)).toBe(stop)
  })
})
