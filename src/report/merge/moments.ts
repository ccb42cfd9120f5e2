/** @param moments ISO 8601, one at least */
export function earliest(moments: readonly string[]): string {
  return moments.reduce((one, other) => (Date.parse(other) < Date.parse(one) ? other : one))
}

/** @param moments ISO 8601, one at least */
export function latest(moments: readonly string[]): string {
  return moments.reduce((one, other) => (Date.parse(other) > Date.parse(one) ? other : one))
}
