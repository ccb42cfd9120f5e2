import type { Duplex } from 'node:stream'
import type { Client } from 'ssh2'
import { ConvergeError } from '../../errors/converge-error.ts'
import { shellQuote } from '../../lib/shell-quote.ts'
import type { Endpoint } from '../errors/endpoint.ts'
import { nothingToOffer } from '../errors/login-errors.ts'
import { planLogin } from '../login/login-plan.ts'
import { NeedsOpenSsh } from '../needs-openssh.ts'
import { type Flow, flowOf } from '../remote/flow.ts'
import type { Destination } from '../settings/destination.ts'
import { resolveSettings } from '../settings/resolve-settings.ts'
import type { SshSettings } from '../settings/ssh-settings.ts'
import { softwareOf } from '../ssh2-library.ts'
import type { TransportOptions } from '../transport-options.ts'
import { plainKnownKeys, searchKnownKeys } from '../trust/look-up.ts'
import { shakeHands } from './handshake.ts'

/** A connection after its login. */
export interface Ssh2Connection {
  readonly client: Client
  readonly endpoint: Endpoint
  readonly settings: SshSettings
  /** The server's software version, if known. */
  readonly software: string | undefined
  /** Of the connection, not a channel: ssh2 buffers four MiB of an unread channel, and any amount from a server that ignores its window. */
  readonly flow: Flow
  /** Undefined while it is open; then why it ended, empty if unknown. */
  lost(): string | undefined
  /** Settles when it is closed; never rejects. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

/** Opens a stream to a host; injected, because jump hosts are connections themselves. */
export type Reach = (settings: SshSettings, endpoint: Endpoint, timeoutMs: number) => Promise<Route>

export interface Route {
  readonly stream: Duplex
  /** Called after the SSH server seems to have hung up: the route may have failed instead. */
  explain?(): Promise<ConvergeError | undefined>
}

/** Everything up to the login. Throws `NeedsOpenSsh` before sending anything if the built-in client does not support it. */
export async function connectSsh2(
  destination: Destination,
  hostName: string,
  reach: Reach,
  options: TransportOptions,
): Promise<Ssh2Connection> {
  const settings = await resolveSettings(destination, options)
  if (settings.beyondSsh2 !== undefined) throw new NeedsOpenSsh(settings.beyondSsh2)
  const endpoint = endpointOf(hostName, settings)
  const login = await planLogin(settings, options)
  if (login.attempts.length === 0) throw nothingToOffer(endpoint, settings, login)
  const searchKnown = () => searchKnownKeys(settings.knownHosts, options)
  const known = (await plainKnownKeys(settings.knownHosts, options)) ?? (await searchKnown())
  if (known.trusted.length === 0 && known.authority)
    throw new NeedsOpenSsh(`only a certificate authority signs the host key of '${settings.knownHosts.lookup}'`)
  const timeoutMs = settings.connectTimeoutMs ?? options.connectTimeoutMs
  const { client, stream } = await options.startLimiter.start(async () => {
    options.signal.throwIfAborted()
    const route = await reach(settings, endpoint, timeoutMs)
    const { stream: sock } = route
    const shake = () => shakeHands({ endpoint, settings, login, known, searchKnown, sock, timeoutMs })
    return { client: await abortable(options.signal, route, shake), stream: sock }
  })
  return watch(client, stream, endpoint, settings)
}

export function endpointOf(host: string, settings: SshSettings): Endpoint {
  const { user, hostname, port, name } = settings
  return { host, at: `${user}@${hostname} port ${port}`, sshCommand: shellQuote(['ssh', ...settings.arguments, name]) }
}

async function abortable<T>(signal: AbortSignal, route: Route, run: () => Promise<T>): Promise<T> {
  const end = (): void => {
    route.stream.destroy()
  }
  signal.addEventListener('abort', end, { once: true })
  try {
    return await run()
  } catch (error) {
    signal.throwIfAborted()
    const hungUp = error instanceof ConvergeError && error.code === 'CONNECT.RESET'
    throw (hungUp ? await route.explain?.() : undefined) ?? error
  } finally {
    signal.removeEventListener('abort', end)
  }
}

/** How long the other side may take to confirm a disconnect. */
const farewellMs = 1_000

function watch(client: Client, stream: Duplex, endpoint: Endpoint, settings: SshSettings): Ssh2Connection {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  let detail = ''
  let over = false
  client.on('error', (error) => {
    detail = error.message
  })
  client.once('close', () => {
    over = true
    resolve()
  })
  const close = async (): Promise<void> => {
    if (over) return
    client.end()
    // Not `client.destroy()`, which has no effect after the stream has ended.
    const timer = setTimeout(() => stream.destroy().resume(), farewellMs)
    await closed
    clearTimeout(timer)
  }
  const lost = (): string | undefined => (over ? detail : undefined)
  return { client, endpoint, settings, software: softwareOf(client), flow: flowOf(stream), lost, closed, close }
}
