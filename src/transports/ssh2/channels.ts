import type { Duplex } from 'node:stream'
import type { ClientChannel } from 'ssh2'
import type { ConvergeError } from '../../errors/converge-error.ts'
import { forwardProhibited, forwardRefused, lostConnection } from '../errors/session-errors.ts'
import type { ProcessEnd, RemoteProcess } from '../remote/remote-process.ts'
import { socketLike } from '../socket-like.ts'
import type { Ssh2Connection } from './connection.ts'

type Opened = (error: Error | undefined, channel: ClientChannel) => void

/**
 * Opens a channel and returns the result of `use`, which runs synchronously, because the end of a short command comes in the same packet as
 * the confirmation of its start. Rejects with `CONNECT.LOST` if the connection is gone, else with ssh2's own error, see `refusalReason`.
 */
async function openChannel<T>(
  connection: Ssh2Connection,
  purpose: string,
  open: (opened: Opened) => void,
  use: (channel: ClientChannel) => T,
): Promise<T> {
  const lost = (phase: 'idle' | 'before', detail: string): ConvergeError =>
    lostConnection(connection.endpoint, purpose, phase, detail)
  const before = connection.lost()
  if (before !== undefined) throw lost('idle', before)
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  try {
    open((error, channel) => (error === undefined ? resolve(use(channel)) : reject(error)))
  } catch (error) {
    // ssh2 throws if its socket is no longer writable, which it may know before the connection is closed.
    throw lost('idle', error instanceof Error ? error.message : '')
  }
  try {
    return await promise
  } catch (error) {
    const after = connection.lost()
    throw after === undefined ? error : lost('before', after)
  }
}

/** Starts a command on its own channel. */
export function openSession(connection: Ssh2Connection, line: string, label: string): Promise<RemoteProcess> {
  const use = (channel: ClientChannel): RemoteProcess => processOf(channel, connection)
  return openChannel(connection, label, (opened) => connection.client.exec(line, opened), use)
}

function processOf(channel: ClientChannel, connection: Ssh2Connection): RemoteProcess {
  const { promise: closed, resolve } = Promise.withResolvers<ProcessEnd>()
  let end: ProcessEnd | undefined
  channel.once('exit', (code: number | null, signal?: string) => {
    end = code === null ? { signal: signal?.replace(/^SIG/, '') ?? 'unknown' } : { exitCode: code }
  })
  channel.once('close', () => {
    resolve(end ?? { lost: connection.lost() ?? 'the server closed the channel without a reason' })
  })
  const abandon = (): void => {
    // A channel that is not read does not close.
    channel.resume()
    channel.close()
  }
  return { stdin: channel, stdout: channel, stderr: channel.stderr, flow: connection.flow, closed, abandon }
}

/** Opens a stream to an address as seen from the host (direct-tcpip). */
export function forwardOut(connection: Ssh2Connection, host: string, port: number): Promise<ClientChannel> {
  const open = (opened: Opened): void => {
    connection.client.forwardOut('127.0.0.1', 0, host, port, opened)
  }
  return openChannel(connection, `connect to port ${port}`, open, (channel) => channel)
}

/** A stream to a port on the host's loopback, with the methods of a socket that HTTP clients call. */
export async function openForward(connection: Ssh2Connection, port: number): Promise<Duplex> {
  try {
    return socketLike(await forwardOut(connection, '127.0.0.1', port))
  } catch (error) {
    const reason = refusalReason(error)
    if (reason === undefined || !(error instanceof Error)) throw error
    const refused = reason === administrativelyProhibited ? forwardProhibited : forwardRefused
    throw refused(connection.endpoint, port, error.message)
  }
}

/** RFC 4254, 5.1. */
const administrativelyProhibited = 1

/** Why the server did not open a channel, as a number of RFC 4254, 5.1; undefined: another kind of error. */
export function refusalReason(error: unknown): number | undefined {
  return error instanceof Error && 'reason' in error && typeof error.reason === 'number' ? error.reason : undefined
}
