import { expect, test } from 'vitest'
import type { Clock } from '../../src/time/clock.ts'
import { checkSpeed } from '../../src/verify/check-speed.ts'

interface SpeedCase {
  readonly beforeS: number
  /** Of the first chat, and of those that are requested again; null: not answered. */
  readonly chats: readonly [number, ...(number | null)[]]
  readonly ok: boolean
  /** Chats that are requested beside the first. */
  readonly again: number
}

const cases: Readonly<Record<string, SpeedCase>> = {
  'as fast as before': { beforeS: 0.4, chats: [410], ok: true, again: 0 },
  'three times as long is allowed': { beforeS: 2, chats: [6000], ok: true, again: 0 },
  'longer, twice': { beforeS: 2, chats: [6100, 6200], ok: false, again: 1 },
  'slow once, on a busy machine': { beforeS: 2, chats: [20_000, 2100], ok: true, again: 1 },
  'not answered the second time': { beforeS: 2, chats: [20_000, null], ok: false, again: 1 },
  'ten times as long, but less than a second longer': { beforeS: 0.05, chats: [500], ok: true, again: 0 },
  'a second longer, and many times as long': { beforeS: 0.05, chats: [1100, 1100], ok: false, again: 1 },
  'nothing measured before': { beforeS: 0, chats: [900], ok: true, again: 0 },
}

test.each(Object.entries(cases))('%s', async (_, { beforeS, chats: [first, ...more], ok, again }) => {
  let now = 0
  const clock: Clock = { now: () => now, sleep: () => Promise.resolve() }
  const asked: (number | null)[] = []
  const chat = () => {
    const took = more[asked.length] ?? null
    asked.push(took)
    now += took ?? first
    return Promise.resolve(took !== null)
  }
  const verdict = await checkSpeed({ speed: { beforeS, maxSlowdown: 3, again: 1 }, clock, chatMs: first, chat })
  expect([verdict.ok, asked.length]).toEqual([ok, again])
  expect(/\d+ times as long; the play allows 3 \(max_slowdown\)$/.test(verdict.detail)).toBe(!ok)
})

test('nothing is compared without a limit', async () => {
  const clock: Clock = { now: () => 0, sleep: () => Promise.resolve() }
  expect(await checkSpeed({ clock, chatMs: 9, chat: () => Promise.resolve(true) })).toMatchObject({ ok: true })
})
