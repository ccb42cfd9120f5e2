import type { HttpFact } from '../model/http-fact.ts'
import type { Observed } from '../model/observed.ts'

/**
 * Whether a running Kind B has its cache. It is warm once it has completed a chat since its start. One that has completed none may still have
 * the model's pages in memory: that is unknown, not cold. Kind B reports its completions at `/health` to requests with the right key.
 */
export function warmthOf(http: Observed<HttpFact> | undefined): 'warm' | 'unknown' {
  if (http?.known !== true) return 'unknown'
  const { completed } = http.value
  return completed.known && completed.value > 0 ? 'warm' : 'unknown'
}
