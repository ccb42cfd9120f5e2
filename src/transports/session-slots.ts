import pLimit from 'p-limit'

/** OpenSSH allows ten sessions on a connection (MaxSessions); a margin is left for those that are just ending. */
const mostSessions = 8

export interface SessionSlots {
  /** Runs `start` when there is room for one more session; the room is taken until `released` settles. */
  run<T>(start: () => Promise<Started<T>>): Promise<T>
}

export interface Started<T> {
  readonly value: T
  readonly released: Promise<unknown>
}

/**
 * Keeps a connection below the server's limit on sessions, and finds out what that limit is: a session that is refused while others are
 * there is tried again when one of them has ended, and from then on there are fewer at a time.
 *
 * @param isRefusal whether an error of `start` means that there was no room.
 */
export function createSessionSlots(isRefusal: (error: unknown) => boolean): SessionSlots {
  const limit = pLimit(mostSessions)
  /** Sessions that are open or being opened. */
  let busy = 0
  let room = Promise.withResolvers<void>()
  const wakeTheRefused = (): void => {
    room.resolve()
    room = Promise.withResolvers<void>()
  }
  const attempt = async <T>(start: () => Promise<Started<T>>): Promise<Started<T>> => {
    busy++
    try {
      return await start()
    } catch (error) {
      busy--
      // Nobody is left whose end could make room: those who wait have to find out for themselves.
      if (busy === 0) wakeTheRefused()
      if (busy === 0 || !isRefusal(error)) throw error
    }
    limit.concurrency = Math.max(1, Math.min(limit.concurrency, busy))
    await room.promise
    return attempt(start)
  }
  return {
    run<T>(start: () => Promise<Started<T>>): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      void limit(async () => {
        try {
          const { value, released } = await attempt(start)
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
  }
}
