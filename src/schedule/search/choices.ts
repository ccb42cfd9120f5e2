/** All subsets of a size, in lexicographic order. */
export function* choices<T>(of: readonly T[], size: number): Generator<readonly T[]> {
  const [first, ...rest] = of
  if (size === 0) yield []
  else if (first !== undefined && of.length >= size) {
    for (const others of choices(rest, size - 1)) yield [first, ...others]
    yield* choices(rest, size)
  }
}
