import type { Context } from '../context/context.ts'
import { defined } from '../lib/defined.ts'
import type { Host } from '../model/fleet.ts'
import type { OpenView } from '../transports/open-view.ts'
import { createStartLimiter } from '../transports/start-limiter.ts'
import type { TransportOptions } from '../transports/transport-options.ts'
import type { SecretResolver } from './keys.ts'

/** One connection per host for the whole run, opened on first use. */
export interface Connections<View extends OpenView = OpenView> {
  to(host: Host): Promise<View>
  /** A new connection beside the shared one; the caller closes it. */
  anew(host: Host): Promise<View>
  /** Closes the connection to one host; the next `to` opens a new one. */
  release(host: Host): Promise<void>
  closeAll(): Promise<void>
}

export interface ConnectionSettings {
  readonly resolveSecret: SecretResolver
  readonly timeoutMs: number
  readonly sshConfig?: string
}

/** Opens a connection: read-only, or one that can also act. */
export type OpenHost<View extends OpenView> = (host: Host, options: TransportOptions) => Promise<View>

export function createConnections<View extends OpenView>(
  context: Context,
  openHost: OpenHost<View>,
  settings: ConnectionSettings,
): Connections<View> {
  const open = new Map<Host, Promise<View>>()
  const startLimiter = createStartLimiter()
  const connect = async (host: Host) => openHost(host, { ...transportOptions(context, host.name, settings), startLimiter })
  const release = async (host: Host) => {
    const view = open.get(host)
    open.delete(host)
    await view?.then((one) => one.close()).catch(() => undefined)
  }
  return {
    async to(host) {
      const existing = open.get(host)
      if (existing !== undefined) return existing
      const view = connect(host)
      open.set(host, view)
      view.catch(() => open.delete(host))
      return view
    },
    anew: connect,
    release,
    closeAll: async () => {
      await Promise.all([...open.keys()].map(release))
    },
  }
}

function transportOptions(
  { signal, env, err }: Context,
  host: string,
  { timeoutMs, resolveSecret, sshConfig }: ConnectionSettings,
): Omit<TransportOptions, 'startLimiter'> {
  return {
    signal,
    connectTimeoutMs: timeoutMs,
    env,
    resolveSecret,
    notice: (text) => err.writeProse(`${host}: ${text}\n`),
    ...defined({ sshConfig }),
  }
}
