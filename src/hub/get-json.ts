import type { Dispatcher } from 'undici'
import { connectionWords } from '../lib/connection-words.ts'
import { isLoopback } from '../lib/loopback.ts'
import type { Secret } from '../model/secret.ts'
import type { Clock } from '../time/clock.ts'
import { rejectedBy } from '../time/rejected-by.ts'
import type { HubAnswer, HubFailure } from './hub-answer.ts'

/** What requests to a hub need of the world outside. */
export interface HubAccess {
  readonly clock: Clock
  readonly signal: AbortSignal
  /** `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` count, in capitals or not. */
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface HubLimits {
  /** For one try, to the end of its answer. */
  readonly tryMs: number
  readonly tries: number
  /** Before the second try; twice as long before each that follows. */
  readonly pauseMs: number
  /** A wait that the hub asks for is kept within these. */
  readonly waitMs: readonly [least: number, most: number]
  readonly bytes: number
}

export const hubLimits: HubLimits = { tryMs: 20_000, tries: 4, pauseMs: 1000, waitMs: [1000, 60_000], bytes: 4 * 1024 ** 2 }

/** Where to ask, and what to show there. */
export interface HubRequest {
  /** Base URL without a slash at its end. */
  readonly hub: string
  /** Behind the base, with a slash in front. */
  readonly path: string
  readonly token?: Secret
}

/** A document, or one page of a list. */
export interface HubPage {
  readonly body: unknown
  /** Where the list goes on, as `HubRequest.path`. */
  readonly next?: string
}

/**
 * Asks a hub for a JSON document. What was cut off, refused, or answered with 429 or 5xx is asked again, no sooner than the hub says
 * (`Retry-After`, or `t=` of its `RateLimit` header). A repository that was renamed is followed within the hub; the token goes nowhere
 * else. Never throws but for an interrupt; no failure repeats words of the answer.
 */
export async function getJson(
  request: HubRequest,
  access: HubAccess,
  limits: HubLimits = hubLimits,
): Promise<HubAnswer<HubPage>> {
  const proxies = isLoopback(new URL(request.hub).hostname) ? noProxies : proxiesIn(access.env)
  if ('ok' in proxies) return proxies
  const { EnvHttpProxyAgent } = (await import('undici')).default
  const agent = new EnvHttpProxyAgent({ ...proxies, connect: { timeout: limits.tryMs } })
  try {
    for (let count = 1; ; count++) {
      const outcome = await follow(request, { ...access, agent, limits })
      access.signal.throwIfAborted()
      if (outcome.ok) return outcome
      if (outcome.again !== true || count >= limits.tries) return { ok: false, reason: outcome.reason, detail: outcome.detail }
      const [least, most] = limits.waitMs
      const asked = outcome.waitMs === undefined ? limits.pauseMs * 2 ** (count - 1) : Math.max(outcome.waitMs, least)
      await access.clock.sleep(Math.min(asked, most), access.signal)
      access.signal.throwIfAborted()
    }
  } finally {
    agent.destroy().catch(() => undefined)
  }
}

interface Failure extends HubFailure {
  /** Another try may do better; and not before `waitMs`. */
  readonly again?: boolean
  readonly waitMs?: number
}

interface Asking extends HubAccess {
  readonly agent: Dispatcher
  readonly limits: HubLimits
}

const mostRedirects = 3

async function follow(request: HubRequest, asking: Asking): Promise<{ readonly ok: true; readonly value: HubPage } | Failure> {
  const { origin } = new URL(request.hub)
  let url = new URL(`${request.hub}${request.path}`)
  for (let count = 0; count <= mostRedirects; count++) {
    const answer = await tryOnce(url, request.token, asking)
    if ('body' in answer) return pageOf(answer, request.hub, url)
    if (!('location' in answer)) return answer
    const next = URL.parse(answer.location, url.href)
    if (next === null || next.origin !== origin) return failed('unreadable', 'it redirects to another host')
    url = next
  }
  return failed('unreadable', 'it redirects too often')
}

/** A link to the next page counts below the hub's own address; any other would be followed with the token. */
function pageOf({ body, link }: Answer, hub: string, url: URL): { readonly ok: true; readonly value: HubPage } | Failure {
  const target = /<([^<>]*)>\s*;\s*rel="?next"?/.exec(link)?.[1]
  if (target === undefined) return { ok: true, value: { body } }
  const next = URL.parse(target, url.href)?.href
  if (next === undefined || !next.startsWith(`${hub}/`)) return failed('unreadable', 'its list continues on another host')
  return { ok: true, value: { body, next: next.slice(hub.length) } }
}

interface Answer {
  readonly body: unknown
  /** The header, or nothing. */
  readonly link: string
}

async function tryOnce(
  url: URL,
  token: Secret | undefined,
  { agent, signal: outer, limits }: Asking,
): Promise<Failure | Answer | { readonly location: string }> {
  const { request } = (await import('undici')).default
  const limit = AbortSignal.timeout(limits.tryMs)
  const signal = AbortSignal.any([outer, limit])
  try {
    const headers = {
      accept: 'application/json',
      'user-agent': 'converge',
      ...(token === undefined ? {} : { authorization: `Bearer ${token.reveal()}` }),
    }
    const asked = request(url.href, { dispatcher: agent, headers, signal, reset: true })
    const answer = await Promise.race([asked, rejectedBy(signal, 'there was no answer in time')])
    const { location, link } = answer.headers
    if (answer.statusCode !== 200) {
      answer.body.on('error', () => undefined).destroy()
      const isRedirect = answer.statusCode >= 300 && answer.statusCode < 400
      return isRedirect && typeof location === 'string' ? { location } : judge(answer)
    }
    const text = await Promise.race([textOf(answer.body, limits.bytes), rejectedBy(signal, 'the answer did not end in time')])
    return text === undefined ? failed('unreadable', 'its answer is too large') : parse(text, String(link ?? ''))
  } catch (error) {
    if (limit.aborted) return { ...failed('unreachable', `there was no answer within ${limits.tryMs / 1000} s`), again: true }
    return { ...failed('unreachable', connectionWords(error, 'it could not be asked')), again: true }
  }
}

function judge({ statusCode, headers }: Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'>): Failure {
  if (statusCode === 401 || statusCode === 403) return failed('denied', `it answered ${statusCode}`)
  if (statusCode === 404) return failed('absent', 'it answered 404')
  if (statusCode !== 429 && statusCode < 500) return failed('unreadable', `it answered ${statusCode}`)
  const waitMs = waitOf(headers)
  return {
    ...failed('unreachable', `it answered ${statusCode}`),
    again: true,
    ...(waitMs === undefined ? {} : { waitMs }),
  }
}

/** Seconds of `Retry-After`, or of `RateLimit: "api";r=0;t=55`. A date depends on two clocks, and is left aside. */
function waitOf(headers: Dispatcher.ResponseData['headers']): number | undefined {
  const words = [headers['retry-after'], /(?:^|;)\s*t=(\d+)/.exec(String(headers['ratelimit'] ?? ''))?.[1]]
  const seconds = words.find((one): one is string => typeof one === 'string' && /^\s*\d{1,9}\s*$/.test(one))
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

/** Undefined: it is longer than that. */
async function textOf(body: AsyncIterable<Uint8Array>, most: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > most) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** A proxy's page with status 200 is no answer of the hub. */
function parse(text: string, link: string): Failure | Answer {
  try {
    return { body: JSON.parse(text), link }
  } catch {
    return failed('unreadable', 'its answer is not JSON; perhaps a proxy or a login page answered')
  }
}

function failed(reason: HubFailure['reason'], detail: string): Failure {
  return { ok: false, reason, detail }
}

/** A token for this machine goes to no other. */
const noProxies = { httpProxy: '', httpsProxy: '', noProxy: '*' }

/** Without a scheme they are http, as for curl. Their values may hold a password, and are shown to nobody. */
function proxiesIn(env: HubAccess['env']): typeof noProxies | HubFailure {
  const named = (name: string) => env[name.toLowerCase()] ?? env[name] ?? ''
  const addresses = { HTTP_PROXY: '', HTTPS_PROXY: '' }
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY'] as const) {
    const value = named(name).trim()
    const url = URL.parse(value.includes('://') ? value : `http://${value}`)
    if (value !== '' && !/^https?:$/.test(url?.protocol ?? ''))
      return failed('unreachable', `${name} is not a valid proxy address`)
    addresses[name] = value === '' ? '' : (url?.href ?? '')
  }
  return {
    httpProxy: addresses.HTTP_PROXY,
    httpsProxy: addresses.HTTPS_PROXY || addresses.HTTP_PROXY,
    noProxy: named('NO_PROXY'),
  }
}
