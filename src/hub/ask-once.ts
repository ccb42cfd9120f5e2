import type { Dispatcher } from 'undici'
import { connectionWords } from '../lib/connection-words.ts'
import { rejectedBy } from '../time/rejected-by.ts'
import type { Asking, Outcome } from './ask-patiently.ts'
import { type Failure, failed, judgeStatus } from './failure.ts'
import { type HubRequest, hubHeaders } from './hub-access.ts'

/** A redirect. */
export interface Redirect {
  readonly location: string
}

/** A request, and how to read its answer. */
export interface Question<T> {
  readonly headers: Readonly<Record<string, string>>
  /** Status codes whose answer `read` accepts. */
  readonly wanted: readonly number[]
  /** Reads as much of the answer as needed; the rest is discarded. */
  readonly read: (answer: Dispatcher.ResponseData) => Promise<Outcome<T>>
}

/** One request to one address, without following redirects. Sends the token only to the hub's own origin. */
export async function askOnce<T>(
  url: URL,
  about: HubRequest,
  { headers, wanted, read }: Question<T>,
  { agent, signal: outer, limits }: Asking,
): Promise<Outcome<T> | Redirect> {
  const { request } = (await import('undici')).default
  const limit = AbortSignal.timeout(limits.tryMs)
  const signal = AbortSignal.any([outer, limit])
  try {
    const options = { dispatcher: agent, headers: { ...headers, ...hubHeaders(about, url) }, signal, reset: true }
    const answer = await Promise.race([request(url.href, options), rejectedBy(signal, 'the hub did not answer in time')])
    if (wanted.includes(answer.statusCode))
      return await Promise.race([read(answer), rejectedBy(signal, 'the answer did not end in time')])
    answer.body.on('error', () => undefined).destroy()
    const { location } = answer.headers
    const isRedirect = answer.statusCode >= 300 && answer.statusCode < 400
    return isRedirect && typeof location === 'string' ? { location } : judgeStatus(answer)
  } catch (error) {
    return { ...failedToAnswer(error, limit.aborted, limits.tryMs), again: true, ...(limit.aborted ? { isLate: true } : {}) }
  }
}

function failedToAnswer(error: unknown, isLate: boolean, tryMs: number): Failure {
  if (isLate) return failed('unreachable', `no answer within ${tryMs / 1000} s`)
  return failed('unreachable', connectionWords(error, 'the request failed'))
}
