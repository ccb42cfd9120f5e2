/** Caches a function by its argument object, for as long as that object exists. The object must not change. */
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
