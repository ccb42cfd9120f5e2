/** A function that computes once for each object it is given, for as long as that object is kept. What it is given must not change. */
export function oncePerObject<Given extends object, Result>(compute: (given: Given) => Result): (given: Given) => Result {
  const results = new WeakMap<Given, { readonly result: Result }>()
  return (given) => {
    const known = results.get(given)
    if (known !== undefined) return known.result
    const result = compute(given)
    results.set(given, { result })
    return result
  }
}
