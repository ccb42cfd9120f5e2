import type { Endpoint } from '../errors/endpoint.ts'
import { proxyFailed } from '../errors/network-errors.ts'
import type { Topic } from '../memory.ts'
import type { SshSettings } from '../settings/ssh-settings.ts'
import type { TransportOptions } from '../transport-options.ts'
import { forwardOut } from './channels.ts'
import { connectSsh2, type Reach, type Route, type Ssh2Connection } from './connection.ts'
import { dial } from './dial.ts'
import { type Hop, jumpLoop, parseHops } from './jump-hops.ts'
import { throughProxyCommand } from './proxy-command.ts'

/** A jump host that hosts of this run share; closed after the last stream through it. */
interface Bastion {
  readonly connection: Ssh2Connection
  users: number
  closing: boolean
}

const bastions: Topic<Bastion> = { name: 'bastion' }

/** Context of reaching one host. */
interface Trip {
  readonly options: TransportOptions
  /** Jump hosts that wait for this one. */
  readonly trail: readonly string[]
}

/** A stream to the SSH port of a host, by the route that its settings name. */
export function reachFor(options: TransportOptions): Reach {
  return (settings, endpoint, timeoutMs) => reach(settings, endpoint, timeoutMs, { options, trail: [] })
}

async function reach(settings: SshSettings, endpoint: Endpoint, timeoutMs: number, trip: Trip): Promise<Route> {
  if (settings.proxyJump !== undefined) return throughHops(parseHops(settings.proxyJump), settings, endpoint, trip)
  if (settings.proxyCommand !== undefined) return throughProxyCommand(settings.proxyCommand, endpoint, trip.options.env)
  return { stream: await dial(settings, endpoint, timeoutMs) }
}

async function throughHops(hops: readonly Hop[], settings: SshSettings, endpoint: Endpoint, trip: Trip): Promise<Route> {
  const bastion = await acquire(hops, trip)
  const release = (): void => {
    bastion.users--
    if (bastion.users === 0) letGo(bastion, hops, trip)
  }
  try {
    const stream = await forwardOut(bastion.connection, settings.hostname, settings.port)
    stream.once('close', release)
    return { stream }
  } catch (error) {
    release()
    throw proxyFailed(endpoint, bastion.connection.endpoint.host, error instanceof Error ? error.message : String(error))
  }
}

/** The last hop, connected through those before it. As with ssh, only the first hop's own config determines its route. */
async function acquire(hops: readonly Hop[], trip: Trip): Promise<Bastion> {
  const key = keyOf(hops)
  if (trip.trail.includes(key)) throw jumpLoop(hops.at(-1)?.name ?? '')
  const bastion = await trip.options.startLimiter.memory.once(bastions, key, () =>
    connect(hops, { ...trip, trail: [...trip.trail, key] }),
  )
  if (bastion.closing) return acquire(hops, trip)
  bastion.users++
  return bastion
}

async function connect(hops: readonly Hop[], trip: Trip): Promise<Bastion> {
  const last = hops.at(-1) ?? { name: '' }
  const before = hops.slice(0, -1)
  // A host waits for its bastion within the limit on starts; if bastions counted too, they could deadlock.
  const options = {
    ...trip.options,
    startLimiter: { ...trip.options.startLimiter, start: <T>(open: () => Promise<T>) => open() },
  }
  const reachHop: Reach = (settings, endpoint, timeoutMs) =>
    before.length === 0 ? reach(settings, endpoint, timeoutMs, trip) : throughHops(before, settings, endpoint, trip)
  const connection = await connectSsh2({ ...last, sshArgs: [] }, `jump host ${last.name}`, reachHop, options)
  const bastion = { connection, users: 0, closing: false }
  void connection.closed.then(() => letGo(bastion, hops, trip))
  return bastion
}

function letGo(bastion: Bastion, hops: readonly Hop[], trip: Trip): void {
  if (bastion.closing) return
  bastion.closing = true
  trip.options.startLimiter.memory.forget(bastions, keyOf(hops))
  void bastion.connection.close()
}

function keyOf(hops: readonly Hop[]): string {
  return JSON.stringify(hops)
}
