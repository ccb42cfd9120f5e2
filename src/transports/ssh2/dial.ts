import { connect, type Socket } from 'node:net'
import { defined } from '../../lib/defined.ts'
import type { Endpoint } from '../errors/endpoint.ts'
import { connectFailed, timedOut } from '../errors/network-errors.ts'
import type { SshSettings } from '../settings/ssh-settings.ts'

/** A TCP connection to the host; Node tries several addresses (RFC 8305). */
export function dial(settings: SshSettings, endpoint: Endpoint, timeoutMs: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const { hostname, port, family, localAddress } = settings
  const socket = connect({
    host: hostname,
    port,
    // Nagle's algorithm with delayed acknowledgements would cost 40 ms for every small packet that waits for an answer.
    noDelay: true,
    ...defined({ family, localAddress }),
  })
  const timer = setTimeout(() => {
    reject(timedOut(endpoint, timeoutMs, 'a TCP connection'))
    socket.destroy()
  }, timeoutMs)
  socket.once('connect', () => resolve(socket))
  socket.once('error', (error) => reject(connectFailed(endpoint, firstOf(error))))
  return promise.finally(() => clearTimeout(timer))
}

/** With several addresses Node joins their errors; the first one represents all. */
function firstOf(error: Error): NodeJS.ErrnoException {
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : undefined
  return inner instanceof Error ? inner : error
}
