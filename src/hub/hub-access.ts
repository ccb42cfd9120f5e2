import type { Secret } from '../model/secret.ts'
import type { Clock } from '../time/clock.ts'

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
  /** How many of them may time out. */
  readonly lateTries: number
  /** Before the second try; twice as long before each that follows. */
  readonly pauseMs: number
  /** A wait that the hub asks for is kept within these. */
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

/** Where to ask, and what to show there. */
export interface HubRequest {
  /** Base URL without a slash at its end. */
  readonly hub: string
  /** Behind the base, with a slash in front. */
  readonly path: string
  readonly token?: Secret
}

/** Headers for one request. The token is shown at the hub's own origin, and nowhere that it leads to. */
export function hubHeaders({ hub, token }: HubRequest, url: URL): Readonly<Record<string, string>> {
  const isOwn = url.origin === new URL(hub).origin
  return {
    'user-agent': 'converge',
    ...(token === undefined || !isOwn ? {} : { authorization: `Bearer ${token.reveal()}` }),
  }
}
