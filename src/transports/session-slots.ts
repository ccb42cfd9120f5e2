import pLimit from 'p-limit'

/** OpenSSH allows ten sessions per connection (MaxSessions); the margin is for those that are closing. */
const mostSessions = 8

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
  /** Sessions that are open or opening. */
  let busy = 0
  let room = Promise.withResolvers<void>()
  const wakeTheRefused = (): void => {
    room.resolve()
    room = Promise.withResolvers<void>()
  }
  const attempt = async <T>(start: () => Promise<Started<T>>, isSpare: boolean): Promise<Started<T>> => {
    busy++
    try {
      return await start()
    } catch (error) {
      busy--
      // No session is left whose end could wake the others: let them retry.
      if (busy === 0) wakeTheRefused()
      if (busy === 0 || !isRefusal(error) || isSpare) throw error
    }
    limit.concurrency = Math.max(1, Math.min(limit.concurrency, busy))
    await room.promise
    return attempt(start, isSpare)
  }
  return {
    run<T>(start: () => Promise<Started<T>>, isSpare = false): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      void limit(async () => {
        try {
          const { value, released } = await attempt(start, isSpare)
          resolve(value)
          await released
          busy--
          wakeTheRefused()
        } catch (error) {
          reject(error)
        }
      })
      return promise
    },
    free: () => Math.max(0, limit.concurrency - limit.activeCount - limit.pendingCount),
  }
}
