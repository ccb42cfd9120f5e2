import type { Duplex } from 'node:stream'
import type { AuthHandlerMiddleware, Client } from 'ssh2'
import type { ConvergeError } from '../../errors/converge-error.ts'
import type { Endpoint } from '../errors/endpoint.ts'
import { hostKeyRefused } from '../errors/host-key-errors.ts'
import { loginRefused } from '../errors/login-errors.ts'
import { closedEarly, connectFailed, handshakeFailed, timedOut } from '../errors/network-errors.ts'
import type { LoginPlan } from '../login/login-plan.ts'
import { NeedsOpenSsh } from '../needs-openssh.ts'
import type { SshSettings } from '../settings/ssh-settings.ts'
import { newClient } from '../ssh2-library.ts'
import { judgeKey, offeredAlgorithms } from '../trust/judge-key.ts'
import type { KnownKeys } from '../trust/known-keys.ts'

export interface HandshakeInput {
  readonly endpoint: Endpoint
  readonly settings: SshSettings
  readonly login: LoginPlan
  readonly known: KnownKeys
  /** Asked before a key is refused, because `known` may only contain plain lines. */
  readonly searchKnown: () => Promise<KnownKeys>
  /** An open stream to the server. */
  readonly sock: Duplex
  readonly timeoutMs: number
}

/** SSH handshake, host key and login over an open stream. Returns a client that is ready. */
export async function shakeHands(input: HandshakeInput): Promise<Client> {
  const client = await newClient()
  const { promise, resolve, reject } = Promise.withResolvers<Client>()
  const { settings, sock } = input
  const login = loginHandler(input)
  let refusedKey: unknown
  client.once('ready', () => resolve(client))
  client.on('error', (error: Ssh2Error) => {
    const failure = refusedKey ?? explain(error, input, login)
    if (failure !== undefined) reject(failure)
  })
  client.once('close', () => reject(closedEarly(input.endpoint, '')))
  client.connect({
    sock,
    username: settings.user,
    readyTimeout: input.timeoutMs,
    keepaliveInterval: settings.keepalive.intervalMs,
    keepaliveCountMax: settings.keepalive.countMax,
    algorithms: { serverHostKey: [...offeredAlgorithms(input.known, settings.knownHosts.algorithms)] },
    authHandler: login.handler,
    hostVerifier: (blob: Buffer, answer: (trusted: boolean) => void) => {
      verify(blob, input).then(
        () => answer(true),
        (error: unknown) => {
          refusedKey = error
          answer(false)
        },
      )
    },
  })
  try {
    return await promise
  } catch (error) {
    client.destroy()
    // Unread data would keep a channel of a jump host from closing.
    sock.destroy().resume()
    throw error
  }
}

/** Throws unless this key is trusted for the host. */
async function verify(blob: Buffer, { endpoint, settings, known, searchKnown }: HandshakeInput): Promise<void> {
  if (judgeKey(blob, known) === 'trusted') return
  const all = await searchKnown()
  const verdict = judgeKey(blob, all)
  if (verdict !== 'trusted') throw hostKeyRefused(verdict, { endpoint, settings, blob, known: all })
}

interface LoginHandler {
  readonly handler: AuthHandlerMiddleware
  readonly offered: readonly string[]
  seen(): { readonly methods: readonly string[]; readonly partial: boolean }
}

/** Offers the keys in turn, and stops if the server accepts none or requires another method as well. */
function loginHandler({ login }: HandshakeInput): LoginHandler {
  const offered: string[] = []
  let methods: readonly string[] = []
  let partial = false
  // ssh2 first passes null; `false`, which its types do not include, ends the login.
  const handler = (left: readonly string[] | null, partialSuccess: boolean | null): unknown => {
    methods = left ?? []
    partial = partialSuccess === true
    const attempt = login.attempts[offered.length]
    if (attempt === undefined || partial || (left !== null && !left.includes('publickey'))) return false
    offered.push(attempt.label)
    return attempt.method
  }
  return { handler, offered, seen: () => ({ methods, partial }) }
}

interface Ssh2Error extends NodeJS.ErrnoException {
  /** The part of ssh2 that reported it. */
  readonly level?: string
}

/** Undefined: ssh2 reports it and continues with the next key. */
function explain(error: Ssh2Error, input: HandshakeInput, login: LoginHandler): Error | undefined {
  const { endpoint, timeoutMs } = input
  const refused = (detail: string): ConvergeError =>
    loginRefused({ endpoint, settings: input.settings, plan: input.login, offered: login.offered, ...login.seen(), detail })
  switch (error.level) {
    case 'agent':
      return undefined
    case 'client-authentication':
      return error.message.startsWith('All configured') ? refused('') : undefined
    case 'client-timeout':
      return timedOut(endpoint, timeoutMs, 'the SSH handshake and login')
    case 'client-socket':
      return connectFailed(endpoint, error)
    case 'handshake':
      return /no matching/.test(error.message)
        ? new NeedsOpenSsh(`the server and the built-in client have no algorithm in common (${error.message})`)
        : handshakeFailed(endpoint, error.message)
    case undefined:
    default:
      // A disconnect message of the server, or a protocol error.
      if (login.offered.length > 0) return refused(error.message)
      return /before handshake/i.test(error.message) ? closedEarly(endpoint, '') : handshakeFailed(endpoint, error.message)
  }
}
