import type { Context } from '../context/context.ts'
import { defined } from '../lib/defined.ts'
import type { Fleet, Host } from '../model/fleet.ts'
import type { OpenView } from '../transports/open-view.ts'
import { createStartLimiter } from '../transports/start-limiter.ts'
import type { TransportOptions } from '../transports/transport-options.ts'
import type { SecretResolver } from './keys.ts'

/** One connection per host for the whole run, opened when it is first asked for. */
export interface Connections<View extends OpenView = OpenView> {
  to(host: string): Promise<View>
  /** A connection of its own beside the one of the run; who asks for it closes it. */
  anew(host: string): Promise<View>
  /** Lets go of one host; the next `to` opens anew. */
  release(host: string): Promise<void>
  closeAll(): Promise<void>
}

export interface ConnectionSettings {
  readonly resolveSecret: SecretResolver
  readonly timeoutMs: number
  readonly sshConfig?: string
}

/** How one of them is opened: to look through, or to act through as well. */
export type OpenHost<View extends OpenView> = (host: Host, options: TransportOptions) => Promise<View>

export function createConnections<View extends OpenView>(
  context: Context,
  fleet: Fleet,
  openHost: OpenHost<View>,
  settings: ConnectionSettings,
): Connections<View> {
  const hosts = new Map(fleet.hosts.map((host) => [host.name, host]))
  const open = new Map<string, Promise<View>>()
  const startLimiter = createStartLimiter()
  const connect = async (name: string) => {
    const host = hosts.get(name)
    if (host === undefined) throw new Error(`no host ${name}`)
    return openHost(host, { ...transportOptions(context, name, settings), startLimiter })
  }
  const release = async (name: string) => {
    const view = open.get(name)
    open.delete(name)
    await view?.then((one) => one.close()).catch(() => undefined)
  }
  return {
    async to(name) {
      const existing = open.get(name)
      if (existing !== undefined) return existing
      const view = connect(name)
      open.set(name, view)
      view.catch(() => open.delete(name))
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
    notice: (text) => err.write(`${host}: ${text}\n`),
    ...defined({ sshConfig }),
  }
}
