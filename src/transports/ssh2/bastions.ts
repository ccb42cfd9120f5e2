import type { Duplex } from 'node:stream'
import { proxyFailed } from '../errors/network-errors.ts'
import type { Place } from '../errors/place.ts'
import type { Topic } from '../memory.ts'
import type { SshSettings } from '../settings/ssh-settings.ts'
import type { TransportOptions } from '../transport-options.ts'
import { forwardOut } from './channels.ts'
import { connectSsh2, type Ssh2Connection } from './connection.ts'
import { dial } from './dial.ts'
import { type Hop, jumpLoop, parseHops } from './jump-hops.ts'
import { throughProxyCommand } from './proxy-command.ts'

/** A jump host that hosts of this run share; it is let go when the last stream through it has ended. */
interface Bastion {
  readonly connection: Ssh2Connection
  users: number
  closing: boolean
}

const bastions: Topic<Bastion> = { name: 'bastion' }

/** The way to one host. */
interface Way {
  readonly options: TransportOptions
  /** Jump hosts that wait for this one to be reached. */
  readonly trail: readonly string[]
}

/** A stream to the SSH port of a host, by whatever way its settings say. */
export function reachFor(options: TransportOptions): (settings: SshSettings, place: Place, timeoutMs: number) => Promise<Duplex> {
  return (settings, place, timeoutMs) => reach(settings, place, timeoutMs, { options, trail: [] })
}

async function reach(settings: SshSettings, place: Place, timeoutMs: number, way: Way): Promise<Duplex> {
  if (settings.proxyJump !== undefined) return throughHops(parseHops(settings.proxyJump), settings, place, way)
  if (settings.proxyCommand !== undefined) return throughProxyCommand(settings.proxyCommand, place, way.options.env)
  return dial(settings, place, timeoutMs)
}

async function throughHops(hops: readonly Hop[], settings: SshSettings, place: Place, way: Way): Promise<Duplex> {
  const bastion = await acquire(hops, way)
  const release = (): void => {
    bastion.users--
    if (bastion.users === 0) letGo(bastion, hops, way)
  }
  try {
    const stream = await forwardOut(bastion.connection, settings.hostname, settings.port)
    stream.once('close', release)
    return stream
  } catch (error) {
    release()
    throw proxyFailed(place, bastion.connection.place.host, error instanceof Error ? error.message : String(error))
  }
}

/** The last hop, connected through those before it. The first hop's own config says how it is reached; the others' does not, as with ssh. */
async function acquire(hops: readonly Hop[], way: Way): Promise<Bastion> {
  const key = keyOf(hops)
  if (way.trail.includes(key)) throw jumpLoop(hops.at(-1)?.name ?? '')
  const bastion = await way.options.startLimiter.memory.once(bastions, key, () =>
    connect(hops, { ...way, trail: [...way.trail, key] }),
  )
  if (bastion.closing) return acquire(hops, way)
  bastion.users++
  return bastion
}

async function connect(hops: readonly Hop[], way: Way): Promise<Bastion> {
  const last = hops.at(-1) ?? { name: '' }
  const before = hops.slice(0, -1)
  // A host waits for its bastion inside the limit on starts; if bastions counted too, they could wait for each other.
  const options = { ...way.options, startLimiter: { ...way.options.startLimiter, start: <T>(open: () => Promise<T>) => open() } }
  const reachHop = (settings: SshSettings, place: Place, timeoutMs: number) =>
    before.length === 0 ? reach(settings, place, timeoutMs, way) : throughHops(before, settings, place, way)
  const connection = await connectSsh2({ ...last, sshArgs: [] }, `jump host ${last.name}`, reachHop, options)
  const bastion = { connection, users: 0, closing: false }
  void connection.closed.then(() => letGo(bastion, hops, way))
  return bastion
}

function letGo(bastion: Bastion, hops: readonly Hop[], way: Way): void {
  if (bastion.closing) return
  bastion.closing = true
  way.options.startLimiter.memory.forget(bastions, keyOf(hops))
  void bastion.connection.close()
}

function keyOf(hops: readonly Hop[]): string {
  return JSON.stringify(hops)
}
