import { connectionWords } from '../lib/connection-words.ts'
import { defined } from '../lib/defined.ts'
import type { Clock } from '../time/clock.ts'
import { rejectedBy } from '../time/rejected-by.ts'
import { type Delivered, failed } from './delivered.ts'
import type { WebhookAddress } from './webhook-url.ts'

export interface PostLimits {
  /** For one try, from connect to status. */
  readonly tryMs: number
  readonly tries: number
  /** Before the second try; doubles for each further one. */
  readonly pauseMs: number
  /** The longest accepted `Retry-After`. */
  readonly patienceMs: number
}

export const postLimits: PostLimits = { tryMs: 10_000, tries: 3, pauseMs: 1000, patienceMs: 10_000 }

export interface PostRequest {
  readonly address: WebhookAddress
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The outcome of one try. `again`: retry is useful; `waitMs`: not earlier than that. */
interface Try extends Delivered {
  readonly again?: boolean
  readonly waitMs?: number
}

/**
 * Posts a message. Retries refused or broken connections, and answers 429 or 5xx. Does not retry after a timeout, because the message
 * may have arrived. Does not follow redirects, and reads only the status of an answer. Never throws. Does not repeat system errors,
 * because they contain the address.
 */
export async function post(
  request: PostRequest,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  limits: PostLimits = postLimits,
): Promise<Delivered> {
  for (let count = 1; ; count++) {
    const tried = await tryOnce(request, limits.tryMs, signal)
    const delivered = signal.aborted && !tried.ok ? failed('it was interrupted') : endAt(count, tried, limits)
    if (delivered !== undefined) return delivered
    await clock.sleep(tried.waitMs ?? limits.pauseMs * 2 ** (count - 1), signal)
  }
}

/** The outcome after this try; undefined: try again. */
function endAt(count: number, { ok, detail, again = false, waitMs = 0 }: Try, limits: PostLimits): Delivered | undefined {
  if (ok) return { ok, detail: count === 1 ? detail : `${detail}, at the ${ordinal(count)} try` }
  if (waitMs > limits.patienceMs) return failed(`${detail} and asks to wait ${Math.round(waitMs / 1000)} s`)
  if (again && count < limits.tries) return undefined
  return failed(count === 1 ? detail : `${detail} (${count} tries)`)
}

async function tryOnce({ address, headers, body }: PostRequest, tryMs: number, outer: AbortSignal): Promise<Try> {
  // By its default export, the only one that a bundle keeps of a CommonJS package. Loading does not count as time of a try.
  const { Client } = (await import('undici')).default
  const limit = AbortSignal.timeout(tryMs)
  const signal = AbortSignal.any([outer, limit])
  const client = new Client(address.origin, { connect: { timeout: tryMs } })
  try {
    const asked = client.request({
      path: address.path,
      method: 'POST',
      headers: {
        ...headers,
        'user-agent': 'converge',
        ...defined({ authorization: address.authorization }),
      },
      body,
      reset: true,
      signal,
    })
    const answer = await Promise.race([asked, rejectedBy(signal, 'there was no answer in time')])
    answer.body.on('error', () => undefined).destroy()
    return judge(answer.statusCode, answer.headers['retry-after'])
  } catch (error) {
    if (limit.aborted) return failed(`there was no answer within ${tryMs / 1000} s`)
    return { ...failed(connectionWords(error, 'it could not be sent')), again: true }
  } finally {
    // Not awaited: it takes until the other side closes the connection.
    client.destroy().catch(() => undefined)
  }
}

function judge(status: number, retryAfter: string | string[] | undefined): Try {
  if (status >= 200 && status < 300) return { ok: true, detail: `answered ${status}` }
  if (status >= 300 && status < 400) return failed(`it answered ${status}; redirects are not followed`)
  const again = status === 429 || status >= 500
  const waitMs = again ? millisecondsOf(retryAfter) : undefined
  return { ...failed(`it answered ${status}`), again, ...defined({ waitMs }) }
}

/** Seconds; a date is ignored, because it depends on two clocks. */
function millisecondsOf(retryAfter: string | string[] | undefined): number | undefined {
  const seconds = typeof retryAfter === 'string' && retryAfter.trim() !== '' ? Number(retryAfter) : Number.NaN
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined
}

function ordinal(count: number): string {
  return count === 2 ? 'second' : count === 3 ? 'third' : `${count}th`
}
