import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type LockRequest, takeLock } from '../../src/apply/lock.ts'
import { waitForLock } from '../../src/apply/wait-for-lock.ts'
import { type Clock, systemClock } from '../../src/time/clock.ts'
import { type ShTransport, shTransport } from '../support/sh-transport.ts'

/** Pauses between two attempts take no time but count, and `between` happens in the first, second, … of them; hearts beat in real time. */
function clockWith(between: readonly (() => Promise<unknown>)[] = []): Clock & { readonly pauses: number[] } {
  let now = Date.parse('2026-01-01T00:00:00Z')
  const pauses: number[] = []
  return {
    pauses,
    now: () => now,
    sleep: async (ms, signal) => {
      if (ms > 20_000) return systemClock.sleep(ms, signal)
      now += ms
      await between[pauses.push(ms) - 1]?.()
    },
  }
}

function requestOf(transport: ShTransport, clock: Clock, runId: string, signal?: AbortSignal): LockRequest {
  const who = { owner: 'op', controller: 'laptop', pid: 1, token: randomUUID(), settleS: 0 }
  return { transport, root: transport.folder, clock, runId, ...who, ...(signal === undefined ? {} : { signal }) }
}

describe('waiting for the lock of a host', () => {
  it('ends when the lock is released, and reports its holder', async () => {
    await using host = await shTransport()
    const other = await takeLock(requestOf(host, systemClock, 'run-1'))
    const clock = clockWith([async () => undefined, () => other.release()])
    const said: string[] = []
    const patience = { timeoutMs: 120_000, note: (text: string) => said.push(text) }
    const lock = await waitForLock(requestOf(host, clock, 'run-2'), patience)
    expect(said).toEqual([
      expect.stringMatching(/^waiting for its lock, held by op@laptop \(process 1, run run-1, .*; 2m at most$/),
    ])
    expect(clock.pauses).toHaveLength(2)
    expect(lock.note).toBeUndefined()
    expect(await lock.release()).toBeUndefined()
  })

  it('continues when another run was faster, and reports that', async () => {
    await using host = await shTransport()
    const first = await takeLock(requestOf(host, systemClock, 'run-1'))
    const others = [first]
    const handOver = async () => {
      await first.release()
      others.push(await takeLock(requestOf(host, systemClock, 'run-3')))
    }
    const said: string[] = []
    const clock = clockWith([handOver, async () => others[1]?.release()])
    const lock = await waitForLock(requestOf(host, clock, 'run-2'), { timeoutMs: 60_000, note: (text) => said.push(text) })
    expect(said).toEqual([expect.stringContaining('run run-1'), expect.stringContaining('run run-3')])
    await lock.release()
  })

  it('takes it over when its holder dies in between', async () => {
    await using host = await shTransport()
    const other = await takeLock(requestOf(host, systemClock, 'run-1'))
    const die = async () => writeFileSync(join(host.folder, 'lock/beat'), `${Math.floor(Date.now() / 1000) - 121}\n`)
    const lock = await waitForLock(requestOf(host, clockWith([die]), 'run-2'), { timeoutMs: 60_000, note: () => undefined })
    expect(lock.note).toContain('took over a dead lock: op@laptop (process 1, run run-1')
    expect(await other.release()).toBeUndefined()
    expect(existsSync(join(host.folder, 'lock'))).toBe(true)
    await lock.release()
  })

  it('ends with the name of its holder at the timeout, after a last look', async () => {
    await using host = await shTransport()
    const other = await takeLock(requestOf(host, systemClock, 'run-1'))
    const clock = clockWith()
    const waiting = waitForLock(requestOf(host, clock, 'run-2'), { timeoutMs: 30_000, note: () => undefined })
    await expect(waiting).rejects.toMatchObject({
      code: 'APPLY.LOCKED',
      why: expect.stringMatching(/run run-1.* converge waited 30s\.$/),
      next: expect.arrayContaining([expect.objectContaining({ command: ['unlock', 'here'] })]),
    })
    expect(clock.pauses.reduce((sum, ms) => sum + ms, 0)).toBe(30_000)
    await other.release()
  })

  it('does not begin without time for it', async () => {
    await using host = await shTransport()
    const other = await takeLock(requestOf(host, systemClock, 'run-1'))
    const said: string[] = []
    const patience = { timeoutMs: 0, note: (text: string) => said.push(text) }
    const clock = clockWith()
    await expect(waitForLock(requestOf(host, clock, 'run-2'), patience)).rejects.toMatchObject({ code: 'APPLY.LOCKED' })
    expect([said, clock.pauses]).toEqual([[], []])
    await other.release()
  })

  it('ends at once with an interrupt, and leaves the lock to whom it belongs', async () => {
    await using host = await shTransport()
    const other = await takeLock(requestOf(host, systemClock, 'run-1'))
    const interrupt = new AbortController()
    // A pause that only the interrupt ends.
    const sleep: Clock['sleep'] = async (_ms, signal = new AbortController().signal) => {
      const ended = once(signal, 'abort')
      interrupt.abort()
      await ended
    }
    const request = requestOf(host, { ...systemClock, sleep }, 'run-2', interrupt.signal)
    await expect(waitForLock(request, { timeoutMs: 60_000, note: () => undefined })).rejects.toThrow(/abort/)
    await expect(takeLock(requestOf(host, systemClock, 'run-3'))).rejects.toMatchObject({ code: 'APPLY.LOCKED' })
    expect(await other.release()).toBeUndefined()
  })
})
