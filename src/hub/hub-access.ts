import type { Secret } from '../model/secret.ts'
import type { Clock } from '../time/clock.ts'

/** The environment of requests to a hub. */
export interface HubAccess {
  readonly clock: Clock
  readonly signal: AbortSignal
  /** `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in upper or lower case. */
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface HubLimits {
  /** For one try, to the end of its answer. */
  readonly tryMs: number
  readonly tries: number
  /** How many of them may time out. */
  readonly lateTries: number
  /** Before the first retry; doubled before each further one. */
  readonly pauseMs: number
  /** Limits for a wait that the hub asks for. */
  readonly waitMs: readonly [least: number, most: number]
  readonly bytes: number
}

export const hubLimits: HubLimits = {
  tryMs: 20_000,
  tries: 4,
  lateTries: 2,
  pauseMs: 1000,
  waitMs: [1000, 60_000],
  bytes: 4 * 1024 ** 2,
}

/** Address and token of a request. */
export interface HubRequest {
  /** Base URL without a trailing slash. */
  readonly hub: string
  /** Path below the base, with a leading slash. */
  readonly path: string
  readonly token?: Secret
}

/** Headers for one request. The token is sent only to the hub's own origin, not to redirect targets. */
export function hubHeaders({ hub, token }: HubRequest, url: URL): Readonly<Record<string, string>> {
  const isOwn = url.origin === new URL(hub).origin
  return {
    'user-agent': 'converge',
    ...(token === undefined || !isOwn ? {} : { authorization: `Bearer ${token.reveal()}` }),
  }
}
