import { closest, distance } from 'fastest-levenshtein'

/** ` Did you mean …?` if a known name is similar enough; otherwise empty. */
export function didYouMean(name: string, known: readonly string[]): string {
  const meant = nearest(name, known)
  return meant === undefined ? '' : ` Did you mean \`${meant}\`?`
}

/** The name that was most likely meant, ignoring case: one that starts with this name, or else the nearest; undefined if none is similar. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const byFolded = new Map(known.map((candidate) => [candidate.toLowerCase(), candidate]))
  if (byFolded.size === 0) return undefined
  const folded = name.toLowerCase()
  const longer = folded.length < 3 ? undefined : [...byFolded.keys()].find((candidate) => candidate.startsWith(folded))
  const best = longer ?? closest(folded, [...byFolded.keys()])
  // If every letter differs, nothing is similar.
  const most = Math.min(tolerated(folded.length), best.length - 1)
  return longer !== undefined || distance(folded, best) <= most ? byFolded.get(best) : undefined
}

/** The known name that this one differs from by at most two letters; undefined: there is none. */
export function slipOf(known: readonly string[], name: string): string | undefined {
  const meant = closest(name, [...known])
  return distance(meant, name) <= 2 ? meant : undefined
}

/** Swapped letters count as two differences, so all but the shortest names tolerate two. */
function tolerated(length: number): number {
  return length < 3 ? 1 : Math.max(2, Math.floor(length / 3))
}
