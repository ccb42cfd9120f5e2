/** `LONG=1` in the environment, as in `npm run test:long`: series for a nightly run. */
export const isLong: boolean = process.env['LONG'] !== undefined

/** `SEED` in the environment; in CI the same every time. Undefined elsewhere: each series chooses. */
export const seed: number | undefined = seedGiven()

/** @returns how many cases a series has: few for every change, many for a nightly run */
export function casesOf({ short, long }: { readonly short: number; readonly long: number }): number {
  return isLong ? long : short
}

/** One in so many of all cases, chosen by the seed; all of them in a long series. */
export function oneIn<T>(several: number, all: readonly T[]): readonly T[] {
  const first = (seed ?? 1) % several
  return isLong ? all : all.filter((_, index) => index % several === first)
}

/** The shells that run every case: the first, and in a long series all. A smoke test shows that each other shell understands the script. */
export function thorough<T>(shells: readonly T[]): readonly T[] {
  return isLong ? shells : shells.slice(0, 1)
}

function seedGiven(): number | undefined {
  const given = process.env['SEED'] ?? (process.env['CI'] === undefined ? undefined : '1')
  return given === undefined ? undefined : Number(given)
}
