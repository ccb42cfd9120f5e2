import type { Dispatcher } from 'undici'
import { isLoopback } from '../lib/loopback.ts'
import { type Failure, failed } from './failure.ts'
import type { HubAccess, HubLimits } from './hub-access.ts'
import type { HubAnswer, HubFailure } from './hub-answer.ts'

/** Context of one try. */
export interface Asking extends HubAccess {
  readonly agent: Dispatcher
  readonly limits: HubLimits
}

export type Outcome<T> = { readonly ok: true; readonly value: T } | Failure

/**
 * Retries until there is an answer, or no point in retrying: after a broken connection, 429 or 5xx it tries again, no sooner than the hub asks
 * for (`Retry-After`, or `t=` of its `RateLimit` header). Throws only on interrupt.
 */
export async function askPatiently<T>(
  hub: string,
  access: HubAccess,
  limits: HubLimits,
  attempt: (asking: Asking) => Promise<Outcome<T>>,
): Promise<HubAnswer<T>> {
  const proxies = isLoopback(new URL(hub).hostname) ? noProxies : proxiesIn(access.env)
  if ('ok' in proxies) return proxies
  const { EnvHttpProxyAgent } = (await import('undici')).default
  const agent = new EnvHttpProxyAgent({ ...proxies, connect: { timeout: limits.tryMs } })
  try {
    for (let count = 1, late = 0; ; count++) {
      const outcome = await attempt({ ...access, agent, limits })
      access.signal.throwIfAborted()
      if (outcome.ok) return outcome
      if (outcome.isLate === true) late += 1
      if (outcome.again !== true || count >= limits.tries || late >= limits.lateTries)
        return { ok: false, reason: outcome.reason, detail: outcome.detail }
      const [least, most] = limits.waitMs
      const asked = outcome.waitMs === undefined ? limits.pauseMs * 2 ** (count - 1) : Math.max(outcome.waitMs, least)
      await access.clock.sleep(Math.min(asked, most), access.signal)
      access.signal.throwIfAborted()
    }
  } finally {
    agent.destroy().catch(() => undefined)
  }
}

/** A token for this machine must not go through a proxy. */
const noProxies = { httpProxy: '', httpsProxy: '', noProxy: '*' }

/** Proxies without a scheme are http, as in curl. Values may contain a password and are never shown. */
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
