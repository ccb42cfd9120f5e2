import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { Started } from './session-slots.ts'

/** The connections to one host, each with one session at a time. */
export interface ConnectionPool<C> {
  /** All open connections, the first one first. */
  readonly connections: readonly C[]
  /** Runs `start` with a connection without a session; the connection is free again when `released` settles. */
  run<T>(start: (connection: C) => Promise<Started<T>>): Promise<Started<T>>
  /** Closes them all. */
  close(): Promise<void>
}

/** For a server that supports several sessions per connection. */
export function singleConnection<C extends { close(): Promise<void> }>(connection: C): ConnectionPool<C> {
  return { connections: [connection], run: (start) => start(connection), close: () => connection.close() }
}

export interface PoolSettings<C> {
  /** Opens another connection to the same host. The signal ends the attempt on close, not on an interrupt, after which there is still much to send. */
  readonly further: (signal: AbortSignal) => Promise<C>
  readonly isOver: (connection: C) => boolean
  /** How long to wait for a free connection before opening another one: a login costs more than most commands. */
  readonly patienceMs?: number
}

/**
 * For a server that does not support several sessions per connection, see `mixesUpSessions`. The number of sessions is not limited here:
 * some must run while another one takes long (a step and the heartbeat of its lock, a copy between two hosts), and would wait for each other.
 * If the host refuses another connection, sessions share the first one at their own risk.
 *
 * The pool ends with its first connection: later sessions fail instead of reaching a host that was restarted.
 */
export function createConnectionPool<C extends { close(): Promise<void> }>(
  first: C,
  settings: PoolSettings<C>,
): ConnectionPool<C> {
  const { all, take, giveBack, closing } = createIdleConnections(first, settings)
  // One at a time: servers drop bursts of logins, and a connection may become free meanwhile.
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

/** The connections, and which of them are free. */
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
  /** Undefined: none is available. */
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
