import { setTimeout as delay } from 'node:timers/promises'
import { defined } from '../lib/defined.ts'

/** Time as everything that waits sees it; tests pass one that jumps. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Resolves after `ms`, or at once when `signal` is aborted; it never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    try {
      await delay(ms, undefined, defined({ signal }))
    } catch (error) {
      if (signal?.aborted !== true) throw error
    }
  },
}
