/** Caches a function by its argument object: the results of the last ones, up to this length of all of them. The objects must not change. */
export function recently<Given extends { readonly length: number }, Result>(
  most: number,
  compute: (given: Given) => Result,
): (given: Given) => Result {
  const results = new Map<Given, Result>()
  let length = 0
  return (given) => {
    const result = results.get(given) ?? compute(given)
    // The one asked for last is at the end.
    length += results.delete(given) ? 0 : given.length
    results.set(given, result)
    for (const old of results.keys()) {
      if (length <= most || old === given) break
      results.delete(old)
      length -= old.length
    }
    return result
  }
}
