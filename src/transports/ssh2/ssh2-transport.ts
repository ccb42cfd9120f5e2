import { ConvergeError } from '../../errors/converge-error.ts'
import type { Host } from '../../model/fleet.ts'
import { type ConnectionPool, createConnectionPool, singleConnection } from '../connection-pool.ts'
import { mixesUpSessions } from '../dropbear.ts'
import { createElevation } from '../elevation.ts'
import { channelRefused } from '../errors/session-errors.ts'
import type { Flow } from '../remote/flow.ts'
import { loginShellLine } from '../remote/remote-command.ts'
import type { RemoteProcess } from '../remote/remote-process.ts'
import { scriptsThrough } from '../run-script.ts'
import { createSessionSlots } from '../session-slots.ts'
import { createSpareSessions } from '../spare-sessions.ts'
import type { Transport } from '../transport.ts'
import type { TransportOptions } from '../transport-options.ts'
import { reachFor } from './bastions.ts'
import { openForward, openSession, refusalReason } from './channels.ts'
import { connectSsh2, type Ssh2Connection } from './connection.ts'
import { startSession } from './start-session.ts'

/** How long a session may take to close after its result, before the next one may use its slot. */
const closingMs = 3_000

/** Sessions that are kept free of spares: for heartbeats, and questions beside a step. */
const reserved = 3

/** The built-in SSH client. Throws `NeedsOpenSsh` if only the user's own ssh supports the host. */
export async function openSsh2(host: Host, options: TransportOptions): Promise<Transport> {
  const connect = connector(host, options)
  const connection = await connect(options.signal)
  const { endpoint } = connection
  const pool = poolOf(connection, connect)
  const flow = flowOfAll(pool)
  const startLine = sessionsOf(pool, mixesUpSessions(connection.software))
  const runner = {
    endpoint,
    elevation: createElevation(host.connection, endpoint, options),
    redact: (text: string) => options.redact?.(text) ?? text,
    async start(words: readonly string[], label: string, isFollowed: boolean): Promise<RemoteProcess> {
      try {
        const process = await startLine(loginShellLine(words), label, isFollowed)
        return { ...process, flow }
      } catch (error) {
        if (error instanceof ConvergeError) throw error
        throw channelRefused(endpoint, error instanceof Error ? error.message : String(error))
      }
    },
    async release(process: RemoteProcess): Promise<void> {
      const timer = setTimeout(() => process.abandon(), closingMs)
      await process.closed
      clearTimeout(timer)
    },
  }
  return {
    host: host.name,
    ...scriptsThrough(runner),
    forward: (port) => openForward(connection, port),
    close: () => pool.close(),
  }
}

/** Starts command lines, each in a session of its own, and sessions in advance where others follow. */
function sessionsOf(
  pool: ConnectionPool<Ssh2Connection>,
  isSingle: boolean,
): (line: string, label: string, isFollowed: boolean) => Promise<RemoteProcess> {
  const slots = createSessionSlots((error) => {
    const isRefusal = refusalReason(error) !== undefined
    if (isRefusal) spares.stop()
    return isRefusal
  })
  const open = (line: string, label: string, start: typeof startSession): Promise<RemoteProcess> =>
    slots.run(
      () =>
        pool.run(async (one) => {
          const process = await start(one, line, label)
          return { value: process, released: process.closed }
        }),
      start === openSession,
    )
  // Without retries: a host that cannot start one now is left alone.
  const spares = createSpareSessions((line) => open(line, 'open a session in advance', openSession))
  return async (line, label, isFollowed) => {
    if (slots.free() === 0) spares.stop()
    const process = (await spares.take(line)) ?? (await open(line, label, startSession))
    if (!isSingle && slots.free() > reserved) spares.refill(line, isFollowed)
    return process
  }
}

type Connect = (signal: AbortSignal) => Promise<Ssh2Connection>

function connector(host: Host, options: TransportOptions): Connect {
  const { address, ...rest } = host.connection
  // Jump hosts are shared: giving up this host must not close the route to others.
  const reach = reachFor(options)
  return (signal) => connectSsh2({ ...rest, name: address }, host.name, reach, { ...options, signal })
}

function poolOf(first: Ssh2Connection, connect: Connect): ConnectionPool<Ssh2Connection> {
  if (!mixesUpSessions(first.software)) return singleConnection(first)
  return createConnectionPool(first, { further: connect, isOver: (one) => one.lost() !== undefined })
}

/** The output budget counts per host, however many connections it has. */
function flowOfAll({ connections }: ConnectionPool<Ssh2Connection>): Flow {
  return {
    pause: () => connections.forEach(({ flow }) => flow.pause()),
    resume: () => connections.forEach(({ flow }) => flow.resume()),
  }
}
