import type { ServerLoad } from './http-dialect.ts'

/** What a server was working on at a moment. */
export interface LoadAt {
  readonly load: ServerLoad
  /** Milliseconds; only differences matter. */
  readonly at: number
}

/**
 * Tokens per second that a server wrote between two looks, over all its requests. A request that ended between them counts as far as its slot still
 * shows it. Null: it does not report tokens, or there is nothing to compare with.
 */
export function tokenRate(before: LoadAt | undefined, now: LoadAt | undefined): number | null {
  if (before?.load.written === undefined || now?.load.written === undefined || now.at <= before.at) return null
  const earlier = new Map(before.load.written.map(({ request, tokens }) => [request, tokens]))
  const grown = now.load.written.map(({ request, tokens }) => Math.max(0, tokens - (earlier.get(request) ?? 0)))
  return grown.reduce((sum, one) => sum + one, 0) / ((now.at - before.at) / 1000)
}
