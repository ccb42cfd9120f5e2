import { setTimeout } from 'node:timers/promises'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSessionSlots } from '../../src/transports/session-slots.ts'

class NoRoom extends Error {}

/** A server that opens so many sessions at a time, each for some turns of the event loop. */
function serverWith(most: number): {
  readonly most: () => number
  readonly start: (n: number) => () => Promise<{ value: number; released: Promise<void> }>
} {
  let open = 0
  let seen = 0
  return {
    most: () => seen,
    start: (n) => async () => {
      await turns(n % 3)
      if (open >= most) throw new NoRoom()
      seen = Math.max(seen, ++open)
      const released = turns(1 + (n % 4)).then(() => {
        open--
        return undefined
      })
      return { value: n, released }
    },
  }
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve))
}

describe('sessions of one connection', () => {
  test('all get their turn, whatever the server allows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 30 }), async (allowed, wanted) => {
        const server = serverWith(allowed)
        const slots = createSessionSlots((error) => error instanceof NoRoom)
        const numbers = Array.from({ length: wanted }, (_, n) => n)
        expect(await Promise.all(numbers.map((n) => slots.run(server.start(n))))).toEqual(numbers)
        expect(server.most()).toBeLessThanOrEqual(8)
      }),
      { numRuns: 60 },
    )
  })

  test('all fail where the server allows none', async () => {
    const server = serverWith(0)
    const slots = createSessionSlots((error) => error instanceof NoRoom)
    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => slots.run(server.start(n))))
    expect(results.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 'rejected'))
  })

  test('get their turn where the server counts one that is closed for a while', async () => {
    let open = 0
    const slots = createSessionSlots((error) => error instanceof NoRoom)
    const start = (n: number) => async () => {
      if (open === 1) throw new NoRoom()
      open++
      const released = turns(1)
      void released.then(() => setTimeout(200)).then(() => open--)
      return { value: n, released }
    }
    expect(await Promise.all([1, 2, 3].map((n) => slots.run(start(n))))).toEqual([1, 2, 3])
  })

  test('fail at once when the error is another one', async () => {
    const slots = createSessionSlots((error) => error instanceof NoRoom)
    let forever: (() => void) | undefined
    const running = slots.run(async () => ({ value: 1, released: new Promise<void>((resolve) => (forever = resolve)) }))
    expect(await running).toBe(1)
    await expect(slots.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    forever?.()
  })
})
