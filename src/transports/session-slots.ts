import { setTimeout as pause } from 'node:timers/promises'
import pLimit, { type LimitFunction } from 'p-limit'

/** OpenSSH allows ten sessions per connection (MaxSessions); the margin is for those that are closing. */
const mostSessions = 8

/** Pauses before the second, third, … attempt of a session that was refused although none is open, in milliseconds. */
const pausesMs = [20, 100, 300, 1000, 3000]

export interface SessionSlots {
  /**
   * Runs `start` when a session is available; it stays in use until `released` settles.
   *
   * @param isSpare it is not worth waiting for: a refusal is final
   */
  run<T>(start: () => Promise<Started<T>>, isSpare?: boolean): Promise<T>
  /** How many more sessions can be opened at once. */
  free(): number
}

export interface Started<T> {
  readonly value: T
  readonly released: Promise<unknown>
}

/**
 * Keeps a connection below the server's session limit, and learns that limit: a refused session is retried when another one has ended, and
 * from then on fewer run concurrently.
 *
 * @param isRefusal whether an error of `start` means that the limit was reached
 */
export function createSessionSlots(isRefusal: (error: unknown) => boolean): SessionSlots {
  const limit = pLimit(mostSessions)
  const sessions = createSessions(limit, isRefusal)
  return {
    run<T>(start: () => Promise<Started<T>>, isSpare = false): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      void limit(async () => {
        try {
          const { value, released } = await sessions.open(start, isSpare)
          resolve(value)
          await released
          sessions.close()
        } catch (error) {
          reject(error)
        }
      })
      return promise
    },
    free: () => Math.max(0, limit.concurrency - limit.activeCount - limit.pendingCount),
  }
}

interface Sessions {
  /** Retries where it is refused, and lowers the limit. */
  open<T>(start: () => Promise<Started<T>>, isSpare: boolean): Promise<Started<T>>
  close(): void
}

/**
 * A server counts a session until its shell has ended, which on a busy host is later than its channel is closed; so a session that is
 * refused although none is open is retried after a pause, if one was open before.
 */
function createSessions(limit: LimitFunction, isRefusal: (error: unknown) => boolean): Sessions {
  /** Sessions that are open or opening. */
  let busy = 0
  let wasOpen = false
  let room = Promise.withResolvers<void>()
  const wakeTheRefused = (): void => {
    room.resolve()
    room = Promise.withResolvers<void>()
  }
  const open = async <T>(start: () => Promise<Started<T>>, isSpare: boolean, pauses = pausesMs): Promise<Started<T>> => {
    busy++
    try {
      const started = await start()
      wasOpen = true
      return started
    } catch (error) {
      busy--
      // No session is left whose end could wake the others: let them retry.
      if (busy === 0) wakeTheRefused()
      if (!isRefusal(error) || isSpare) throw error
      if (busy === 0 && (!wasOpen || pauses.length === 0)) throw error
    }
    if (busy === 0) {
      await pause(pauses[0])
      return open(start, isSpare, pauses.slice(1))
    }
    limit.concurrency = Math.max(1, Math.min(limit.concurrency, busy))
    await room.promise
    return open(start, isSpare, pauses)
  }
  const close = (): void => {
    busy--
    wakeTheRefused()
  }
  return { open, close }
}
