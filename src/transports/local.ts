import { once } from 'node:events'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Host } from '../model/fleet.ts'
import { startChild } from './child-process.ts'
import { createElevation } from './elevation.ts'
import type { Endpoint } from './errors/endpoint.ts'
import { forwardRefused } from './errors/session-errors.ts'
import type { RemoteProcess } from './remote/remote-process.ts'
import { scriptsThrough } from './run-script.ts'
import type { Transport } from './transport.ts'
import type { TransportOptions } from './transport-options.ts'

/** This machine as a host: the same scripts under the same supervisor, without a connection. */
export async function openLocal(host: Host, options: TransportOptions): Promise<Transport> {
  const endpoint: Endpoint = { host: host.name, at: 'this machine', sshCommand: 'sh -c' }
  const running = new Set<RemoteProcess>()
  const runner = {
    endpoint,
    elevation: createElevation(host.connection, endpoint, options),
    redact: (text: string) => options.redact?.(text) ?? text,
    async start([file = '/bin/sh', ...args]: readonly string[]) {
      const child = await startChild(file, args, { env: options.env })
      running.add(child)
      void child.closed.then(() => running.delete(child))
      return child
    },
    release: async () => undefined,
  }
  return {
    host: host.name,
    ...scriptsThrough(runner),
    forward: (port) => dial(endpoint, port),
    close: async () => {
      for (const child of running) child.abandon()
    },
  }
}

async function dial(endpoint: Endpoint, port: number): Promise<Duplex> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  try {
    await once(socket, 'connect')
  } catch (error) {
    throw forwardRefused(endpoint, port, error instanceof Error ? error.message : String(error))
  }
  return socket
}
