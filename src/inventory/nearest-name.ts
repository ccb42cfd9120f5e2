import { closest, distance } from 'fastest-levenshtein'

/** The name a person most likely meant, whatever its case; undefined when none comes near. */
export function nearestName(written: string, names: readonly string[]): string | undefined {
  const byFolded = new Map(names.map((name) => [name.toLowerCase(), name]))
  if (byFolded.size === 0) return undefined
  const folded = written.toLowerCase()
  const nearest = closest(folded, [...byFolded.keys()])
  return distance(folded, nearest) <= tolerated(folded.length) ? byFolded.get(nearest) : undefined
}

/** Swapped letters count as two, so two has to be forgiven in all but the shortest names. */
function tolerated(length: number): number {
  return length < 3 ? 1 : Math.max(2, Math.floor(length / 3))
}
