import { nearestName } from './nearest-name.ts'

/** ` Did you mean …?` where one of the known names is near enough to be meant, or has this one as its beginning; else nothing. */
export function didYouMean(name: string, known: readonly string[]): string {
  const longer = name.length >= 3 ? known.find((candidate) => candidate.startsWith(name)) : undefined
  const meant = longer ?? nearestName(name, known)
  return meant === undefined ? '' : ` Did you mean \`${meant}\`?`
}
