/** `LONG=1` in the environment, as `npm run test:long` has it: series as long as a night has room for. */
export const isLong: boolean = process.env['LONG'] !== undefined

/** `SEED` in the environment makes other series. In CI they are the same ones every time; undefined elsewhere: as each likes. */
export const seed: number | undefined = seedGiven()

/** @returns how many cases a series has: few enough for every change, or as many as a night has room for */
export function casesOf({ short, long }: { readonly short: number; readonly long: number }): number {
  return isLong ? long : short
}

/** Of all cases there are, one in so many, which ones being a matter of the seed; all of them in a long series. */
export function oneIn<T>(several: number, all: readonly T[]): readonly T[] {
  const first = (seed ?? 1) % several
  return isLong ? all : all.filter((_, index) => index % several === first)
}

/**
 * What a script does is to be the same in every shell: one of them, the first, is put through everything, and of each other one a test of the
 * whole shows that it understands the script. In a long series all of them are put through everything.
 */
export function thorough<T>(shells: readonly T[]): readonly T[] {
  return isLong ? shells : shells.slice(0, 1)
}

function seedGiven(): number | undefined {
  const given = process.env['SEED'] ?? (process.env['CI'] === undefined ? undefined : '1')
  return given === undefined ? undefined : Number(given)
}
