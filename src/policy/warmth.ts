import type { HttpFact } from '../model/http-fact.ts'
import type { Observed } from '../model/observed.ts'

/**
 * Whether a running Kind B has its cache: warm once it completed a chat since its start. One that completed none may still have
 * the model's pages in memory, so that is unknown and not cold. Kind B counts its completions under `/health` when asked with
 * the right key.
 */
export function warmthOf(http: Observed<HttpFact> | undefined): 'warm' | 'unknown' {
  if (http?.known !== true) return 'unknown'
  const { completed } = http.value
  return completed.known && completed.value > 0 ? 'warm' : 'unknown'
}
