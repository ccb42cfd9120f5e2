import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ConvergeError, InternalError } from '../errors/converge-error.ts'
import { createRedactor } from '../lib/redactor.ts'
import type { Secret } from '../model/secret.ts'
import { rejectedBy } from '../time/rejected-by.ts'
import type { HostView } from '../transports/transport.ts'

/**
 * One HTTP request. Never throws because of the server; a broken connection to the host throws its `CONNECT.*` error.
 */
export type HttpAsk = (request: HttpRequest) => Promise<HttpReply>

export interface HttpRequest {
  readonly path: string
  /** Sent as `Authorization: Bearer`. */
  readonly key?: Secret
  /** Sent as JSON with POST; without it the request is a GET. */
  readonly body?: unknown
  /** From connecting to the last byte. Absent: unlimited, or until `signal`. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

export type HttpReply =
  | Answer
  /** Connected, but no complete answer in time: a server that loads or hangs. */
  | { readonly kind: 'silent'; readonly ms: number }
  /** The connection was accepted and closed without an HTTP answer. */
  | { readonly kind: 'closed'; readonly detail: string; readonly ms: number }
  /** Nothing listens. */
  | { readonly kind: 'refused'; readonly detail: string; readonly ms: number }

export interface Answer {
  readonly kind: 'answered'
  readonly status: number
  /** At most 1 MiB; the key is replaced by `***`, should the server repeat it. */
  readonly body: string
  /** The body as JSON; undefined if it is not. */
  readonly json: unknown
  readonly retryAfterS?: number
  readonly ms: number
}

const maxBodyBytes = 1024 * 1024

/**
 * HTTP to one port of one host, over the existing connection to the host. Every request uses its own connection, which is then closed: servers
 * end a connection after a wrong key, and silently lose later requests on it.
 *
 * @param port on the host's own loopback, so that neither the server's address nor a proxy interferes, and every server accepts the `Host`
 *   header
 */
export function httpTo(transport: HostView, port: number): HttpAsk {
  return async (request) => {
    const started = performance.now()
    const elapsed = (): number => Math.round(performance.now() - started)
    const timeout = request.timeoutMs === undefined ? [] : [AbortSignal.timeout(request.timeoutMs)]
    const signal = AbortSignal.any(request.signal === undefined ? timeout : [...timeout, request.signal])
    const ask = async (): Promise<HttpReply> => {
      try {
        return { ...(await exchange(transport, port, request, signal)), ms: elapsed() }
      } catch (error) {
        return signal.aborted ? { kind: 'silent', ms: elapsed() } : failureOf(error, elapsed())
      }
    }
    const reply = await ask()
    // A GET may be repeated (RFC 9110, 9.2.2): one connection that breaks says little of a server.
    return reply.kind === 'closed' && request.body === undefined ? ask() : reply
  }
}

async function exchange(
  transport: HostView,
  port: number,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<Omit<Answer, 'ms'>> {
  // Uses the default export, which is all that a bundle keeps of a CommonJS package.
  const { Client } = (await import('undici')).default
  const client = new Client(`http://127.0.0.1:${port}`, {
    connect: (_options, callback) => {
      void dial(transport, port, signal, callback)
    },
    // A first completion may take an hour; only `timeoutMs` and `signal` end a request.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  try {
    const asked = client.request({
      path: request.path,
      method: request.body === undefined ? 'GET' : 'POST',
      headers: headersOf(request),
      reset: true,
      signal,
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    })
    const { statusCode, headers, body: stream } = await Promise.race([asked, rejectedBy(signal, 'no answer in time')])
    const body = redactKey(await readBody(stream), request.key)
    return { kind: 'answered', status: statusCode, body, ...parsed(body), ...retryAfter(headers) }
  } finally {
    // Not awaited: it takes until the other side confirms the close.
    client.destroy().catch(() => undefined)
  }
}

function headersOf({ key, body }: HttpRequest): Record<string, string> {
  return {
    accept: 'application/json',
    ...(key === undefined ? {} : { authorization: `Bearer ${key.reveal()}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
}

async function readBody(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= maxBodyBytes) break
  }
  return Buffer.concat(chunks).subarray(0, maxBodyBytes).toString('utf8')
}

function redactKey(body: string, key: Secret | undefined): string {
  if (key === undefined) return body
  const redactor = createRedactor((secret) => secret.reveal())
  redactor.learn(key)
  return redactor.redact(body)
}

function parsed(body: string): { json: unknown } {
  try {
    return { json: JSON.parse(body) }
  } catch {
    return { json: undefined }
  }
}

function retryAfter(headers: Readonly<Record<string, string | string[] | undefined>>): { retryAfterS?: number } {
  const seconds = Number(headers['retry-after'])
  return Number.isFinite(seconds) && seconds >= 0 ? { retryAfterS: seconds } : {}
}

function failureOf(error: unknown, ms: number): HttpReply {
  if (error instanceof ConvergeError) {
    if (error.code === 'CONNECT.FORWARD_REFUSED') return { kind: 'refused', detail: error.why, ms }
    throw error
  }
  return { kind: 'closed', detail: error instanceof Error ? error.message : String(error), ms }
}

type Dialled = (...ended: [null, Socket] | [Error, null]) => void

/** undici checks a request's signal only once connected; a connection that never opens must be abandoned here. */
async function dial(transport: HostView, port: number, signal: AbortSignal, done: Dialled): Promise<void> {
  const opening = transport.forward(port)
  let socket: Socket
  try {
    socket = likeSocket(await Promise.race([opening, rejectedBy(signal, 'the connection did not open in time')]))
  } catch (error) {
    opening.then(discard, () => undefined)
    done(error instanceof Error ? error : new Error(String(error)), null)
    return
  }
  done(null, socket)
}

function discard(stream: Duplex): void {
  stream.on('error', () => undefined).destroy()
}

/** Socket methods that undici calls and a forwarded stream may lack; they have no effect there. */
const socketMethods = ['setNoDelay', 'setKeepAlive', 'setTimeout', 'ref', 'unref']

function likeSocket(stream: Duplex): Socket {
  for (const method of socketMethods) if (!(method in stream)) Object.assign(stream, { [method]: () => stream })
  if (!standsForSocket(stream)) throw new InternalError('a forwarded stream cannot stand for a socket')
  return stream
}

function standsForSocket(stream: Duplex): stream is Socket {
  return socketMethods.every((method) => method in stream)
}
