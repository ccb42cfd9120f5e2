import { describe, expect, it } from 'vitest'
import { poll } from '../../src/apply/poll.ts'
import { jumpingClock } from './step-cases.ts'

describe('polling', () => {
  it('asks at once, then after growing pauses, and a last time at the deadline', async () => {
    const clock = jumpingClock()
    const asked: number[] = []
    const ask = async (left: number) => {
      asked.push(left)
      return undefined
    }
    const polled = await poll(ask, { timeoutMs: 5000, clock, firstDelayMs: 1000, maxDelayMs: 2000 })
    expect(polled).toEqual({ ended: 'deadline' })
    expect(asked).toEqual([5000, 4000, 2400, 400, 0])
  })

  it('asks once when there is no time at all', async () => {
    let count = 0
    const polled = await poll(async () => ((count += 1) === 1 ? 'yes' : undefined), { timeoutMs: 0, clock: jumpingClock() })
    expect(polled).toEqual({ ended: 'answered', value: 'yes' })
  })

  it('takes an answer that arrives after the deadline', async () => {
    const clock = jumpingClock()
    const ask = async () => {
      await clock.sleep(9000)
      return 'late'
    }
    expect(await poll(ask, { timeoutMs: 1000, clock })).toEqual({ ended: 'answered', value: 'late' })
  })

  it('ends at an interrupt without another pause', async () => {
    const clock = jumpingClock()
    const interrupt = new AbortController()
    const ask = async () => {
      interrupt.abort()
      return undefined
    }
    expect(await poll(ask, { timeoutMs: 60_000, clock, signal: interrupt.signal })).toEqual({ ended: 'interrupted' })
    expect(clock.now()).toBe(0)
  })
})
