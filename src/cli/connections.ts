import type { Fleet, Host } from '../model/fleet.ts'
import { createStartLimiter, openTransport } from '../transports/open-transport.ts'
import type { Transport } from '../transports/transport.ts'
import type { Context } from './context.ts'
import type { SecretResolver } from './keys.ts'

/** One connection per host for the whole run, opened when it is first asked for. */
export interface Connections {
  to(host: string): Promise<Transport>
  /** Lets go of one host; the next `to` opens anew. */
  release(host: string): Promise<void>
  closeAll(): Promise<void>
}

export interface ConnectionSettings {
  readonly resolveSecret: SecretResolver
  readonly timeoutMs: number
  readonly sshConfig?: string
}

export function createConnections(context: Context, fleet: Fleet, settings: ConnectionSettings): Connections {
  const hosts = new Map(fleet.hosts.map((host) => [host.name, host]))
  const open = new Map<string, Promise<Transport>>()
  const startLimiter = createStartLimiter()
  const connect = (host: Host) =>
    openTransport(host, {
      signal: context.signal,
      connectTimeoutMs: settings.timeoutMs,
      startLimiter,
      env: context.env,
      resolveSecret: settings.resolveSecret,
      notice: (text) => context.err.write(`${host.name}: ${text}\n`),
      ...(settings.sshConfig === undefined ? {} : { sshConfig: settings.sshConfig }),
    })
  const release = async (name: string) => {
    const transport = open.get(name)
    open.delete(name)
    await transport?.then((one) => one.close()).catch(() => undefined)
  }
  return {
    to(name) {
      const existing = open.get(name)
      if (existing !== undefined) return existing
      const host = hosts.get(name)
      if (host === undefined) return Promise.reject(new Error(`no host ${name}`))
      const transport = connect(host)
      open.set(name, transport)
      transport.catch(() => open.delete(name))
      return transport
    },
    release,
    closeAll: async () => {
      await Promise.all([...open.keys()].map(release))
    },
  }
}
