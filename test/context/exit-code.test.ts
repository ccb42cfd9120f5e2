import { assert, integer, property, subarray } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exitCodes, worstOf } from '../../src/context/exit-code.ts'

/** The contract's order for what a run may end with when several things hold. */
const order = [1, 130, 7, 8, 5, 6, 4, 3, 2, 0] as const

describe('exit codes', () => {
  it('follow the order of the contract when several apply', () => {
    assert(
      property(subarray([...order], { minLength: 1 }), integer(), (codes, seed) => {
        const shuffled = codes.toSorted((a, b) => ((a * 7919 + seed) % 13) - ((b * 7919 + seed) % 13))
        expect(worstOf(shuffled)).toBe(order.find((code) => codes.includes(code)))
      }),
    )
  })

  it('are 0 when none applies', () => {
    expect(worstOf([])).toBe(exitCodes.done)
  })
})
