import { closest, distance } from 'fastest-levenshtein'

/** ` Did you mean …?` where one of the known names is near enough to be meant; else nothing. */
export function didYouMean(name: string, known: readonly string[]): string {
  const meant = nearest(name, known)
  return meant === undefined ? '' : ` Did you mean \`${meant}\`?`
}

/** The name a person most likely meant, whatever its case: one that goes on where this one ends, else the nearest; undefined when none comes near. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const byFolded = new Map(known.map((candidate) => [candidate.toLowerCase(), candidate]))
  if (byFolded.size === 0) return undefined
  const folded = name.toLowerCase()
  const longer = folded.length < 3 ? undefined : [...byFolded.keys()].find((candidate) => candidate.startsWith(folded))
  const best = longer ?? closest(folded, [...byFolded.keys()])
  return longer !== undefined || distance(folded, best) <= tolerated(folded.length) ? byFolded.get(best) : undefined
}

/** The nearest of the known names where this one is it with a letter or two wrong; undefined where it is none of them. */
export function slipOf(known: readonly string[], name: string): string | undefined {
  const meant = closest(name, [...known])
  return distance(meant, name) <= 2 ? meant : undefined
}

/** Swapped letters count as two, so two has to be forgiven in all but the shortest names. */
function tolerated(length: number): number {
  return length < 3 ? 1 : Math.max(2, Math.floor(length / 3))
}
