import { momentMs } from '../../lib/moment.ts'

/** @param moments ISO 8601, one at least */
export function earliest(moments: readonly string[]): string {
  return moments.reduce((one, other) => (momentMs(other) < momentMs(one) ? other : one))
}

/** @param moments ISO 8601, one at least */
export function latest(moments: readonly string[]): string {
  return moments.reduce((one, other) => (momentMs(other) > momentMs(one) ? other : one))
}
