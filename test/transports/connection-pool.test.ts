import { setTimeout as sleep } from 'node:timers/promises'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createConnectionPool, type PoolSettings } from '../../src/transports/connection-pool.ts'

/** Counts the sessions that it carries. */
class Connection {
  sessions = 0
  most = 0
  over = false

  open(): void {
    this.most = Math.max(this.most, ++this.sessions)
  }

  async close(): Promise<void> {
    this.over = true
  }
}

const further = async () => new Connection()

function poolOf(settings: Partial<PoolSettings<Connection>> = {}) {
  const first = new Connection()
  const pool = createConnectionPool(first, { further, isOver: ({ over }) => over, patienceMs: 0, ...settings })
  /** Ends when `until` does; the connection it had. */
  const session = async (until: Promise<unknown>): Promise<Connection> => {
    const { value, released } = await pool.run(async (connection) => {
      connection.open()
      return { value: connection, released: until.then(() => connection.sessions--) }
    })
    await released
    return value
  }
  return { first, pool, session }
}

describe('the connections to a host that bears one session on each', () => {
  test('carry one each, however many are requested and however long they last', async () => {
    const durations = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(durations, async (ms) => {
        const { pool, session } = poolOf()
        await Promise.all(ms.map((duration) => session(sleep(duration))))
        expect(pool.connections.filter(({ most }) => most > 1)).toEqual([])
        expect(pool.connections.length).toBeLessThanOrEqual(ms.length)
      }),
      { numRuns: 40 },
    )
  })

  test('do not wait for a session that does not end', async () => {
    const { first, pool, session } = poolOf()
    const endless = Array.from({ length: 5 }, () =>
      pool.run(async (value) => ({ value, released: new Promise(() => undefined) })),
    )
    await Promise.all(endless)
    expect(await session(Promise.resolve())).not.toBe(first)
  })

  test('are no more than one where a session is about to end', async () => {
    const { pool, session } = poolOf({ patienceMs: 60_000 })
    await Promise.all([1, 2, 3, 4].map(() => session(sleep(1))))
    expect(pool.connections).toHaveLength(1)
  })

  test('are free again after a session that was not started', async () => {
    const { pool, session } = poolOf()
    await expect(pool.run(() => Promise.reject(new Error('not taken')))).rejects.toThrow('not taken')
    await session(Promise.resolve())
    expect(pool.connections).toHaveLength(1)
  })

  test('are shared where no further one is granted, which is asked for once', async () => {
    let asked = 0
    const { first, session } = poolOf({
      further: () => {
        asked++
        return Promise.reject(new Error('one login is enough'))
      },
    })
    expect(await Promise.all([1, 2, 3].map(() => session(sleep(200))))).toEqual([first, first, first])
    expect(first.most).toBe(3)
    expect(asked).toBe(1)
  })

  test('do without one that broke, and are over when the first one did', async () => {
    const { first, pool, session } = poolOf()
    const [, second] = await Promise.all([session(sleep(20)), session(sleep(20))])
    if (second !== undefined) second.over = true
    const used = await Promise.all([session(sleep(20)), session(sleep(20))])
    expect(used).not.toContain(second)
    first.over = true
    expect(await session(Promise.resolve())).toBe(first)
    expect(pool.connections).toHaveLength(3)
  })

  test('are all closed at the end, one that was just being opened too', async () => {
    const opening = Promise.withResolvers<Connection>()
    let signal: AbortSignal | undefined
    const { pool, session } = poolOf({
      further: (given) => {
        signal = given
        return opening.promise
      },
    })
    // Both are busy until the second connection is being opened.
    const busy = Promise.withResolvers<void>()
    const sessions = Promise.all([session(busy.promise), session(busy.promise)])
    await expect.poll(() => signal).toBeDefined()
    const closing = pool.close()
    busy.resolve()
    await closing
    expect(signal?.aborted).toBe(true)
    opening.resolve(new Connection())
    await sessions
    expect(pool.connections.map(({ over }) => over)).toEqual([true, true])
  })
})
