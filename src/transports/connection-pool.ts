import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { Started } from './session-slots.ts'

/** The connections to one host, of which each carries one session at a time. */
export interface ConnectionPool<C> {
  /** All there are so far, the first one first. */
  readonly connections: readonly C[]
  /** Runs `start` with a connection that has no session; it is given to the next one when `released` settles. */
  run<T>(start: (connection: C) => Promise<Started<T>>): Promise<Started<T>>
  /** Closes them all. */
  close(): Promise<void>
}

/** For a server that bears many sessions on one connection. */
export function singleConnection<C extends { close(): Promise<void> }>(connection: C): ConnectionPool<C> {
  return { connections: [connection], run: (start) => start(connection), close: () => connection.close() }
}

export interface PoolSettings<C> {
  /** Opens a further connection to the same host. The signal ends the attempt: not an interrupt, after which there is still much to send. */
  readonly further: (signal: AbortSignal) => Promise<C>
  readonly isOver: (connection: C) => boolean
  /** So long one is waited for that becomes free, before a further one is opened: a login costs more than most commands. */
  readonly patienceMs?: number
}

/**
 * For a server that does not bear several sessions on one connection, see `mixesUpSessions`. How many sessions there are at a time is not
 * limited here: some are wanted while another one lasts for long (a step and the sign of life of its lock, a file that two hosts give each
 * other), and would wait for each other. So where the host grants no further connection, they share the first one, and risk it.
 *
 * The pool is over when its first connection is: whoever sends something is told that, and does not meet a host that was restarted.
 */
export function createConnectionPool<C extends { close(): Promise<void> }>(
  first: C,
  settings: PoolSettings<C>,
): ConnectionPool<C> {
  const { all, take, giveBack, closing } = createIdleConnections(first, settings)
  // One after the other: servers drop bursts of logins, and whoever comes later may find that one has become free.
  const turn = pLimit(1)
  return {
    connections: all,
    async run(start) {
      const own = await turn(take)
      if (own === undefined) return start(first)
      try {
        const started = await start(own)
        void started.released.then(() => giveBack(own))
        return started
      } catch (error) {
        giveBack(own)
        throw error
      }
    },
    async close() {
      closing.abort()
      await Promise.all(all.map((connection) => connection.close()))
    },
  }
}

/** Which connections there are, and which of them have no session. */
function createIdleConnections<C extends { close(): Promise<void> }>(
  first: C,
  { further, isOver, patienceMs = 100 }: PoolSettings<C>,
) {
  const all = [first]
  let idle = [first]
  let isRefused = false
  let freed = Promise.withResolvers<void>()
  const closing = new AbortController()
  const open = async (): Promise<C | undefined> => {
    if (isRefused) return undefined
    try {
      const connection = await further(closing.signal)
      all.push(connection)
      if (closing.signal.aborted) await connection.close()
      return connection
    } catch {
      isRefused = true
      return undefined
    }
  }
  /** Undefined: there is none to be had. */
  const take = async (): Promise<C | undefined> => {
    if (isOver(first)) return undefined
    if (idle.length === 0) await Promise.race([freed.promise, sleep(patienceMs, undefined, { ref: false })])
    idle = idle.filter((connection) => !isOver(connection))
    return idle.pop() ?? open()
  }
  const giveBack = (connection: C): void => {
    idle.push(connection)
    freed.resolve()
    freed = Promise.withResolvers()
  }
  return { all, take, giveBack, closing }
}
