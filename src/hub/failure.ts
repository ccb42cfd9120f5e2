import type { Dispatcher } from 'undici'
import { defined } from '../lib/defined.ts'
import type { HubFailure } from './hub-answer.ts'

/** A failed try. */
export interface Failure extends HubFailure {
  /** Another try may succeed, but not before `waitMs`. */
  readonly again?: boolean
  readonly waitMs?: number
  /** It timed out. */
  readonly isLate?: true
}

export function failed(reason: HubFailure['reason'], detail: string): Failure {
  return { ok: false, reason, detail }
}

type Head = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'>

/** The meaning of an answer that is neither the expected one nor a redirect. */
export function judgeStatus({ statusCode, headers }: Head): Failure {
  if (statusCode === 401 || statusCode === 403) return failed(isGated(headers) ? 'gated' : 'denied', `it answered ${statusCode}`)
  if (statusCode === 404) return failed('absent', 'it answered 404')
  if (statusCode !== 429 && statusCode < 500) return failed('unreadable', `it answered ${statusCode}`)
  const waitMs = waitOf(headers)
  return {
    ...failed('unreachable', `it answered ${statusCode}`),
    again: true,
    ...defined({ waitMs }),
  }
}

/** Its terms were not accepted. With an invalid token the hub reports this for every gated repository, so that does not count. */
function isGated(headers: Head['headers']): boolean {
  const isWrongToken = /invalid credentials/i.test(String(headers['x-error-message'] ?? ''))
  return headers['x-error-code'] === 'GatedRepo' && !isWrongToken
}

/** Seconds from `Retry-After`, or from `RateLimit: "api";r=0;t=55`. Dates depend on two clocks and are ignored. */
function waitOf(headers: Head['headers']): number | undefined {
  const words = [headers['retry-after'], /(?:^|;)\s*t=(\d+)/.exec(String(headers['ratelimit'] ?? ''))?.[1]]
  const seconds = words.find((one): one is string => typeof one === 'string' && /^\s*\d{1,9}\s*$/.test(one))
  return seconds === undefined ? undefined : Number(seconds) * 1000
}
