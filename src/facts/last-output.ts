import { maskKeys } from '../lib/mask-keys.ts'
import { firstWords } from './fact.ts'

const mostLines = 6

/** The last lines of a log, as the redactor passed them: each after a bar. Undefined: none. Printable, and shortened. */
export function lastOutput(lines: readonly string[]): readonly string[] | undefined {
  const words = lines.flatMap((line) => firstWords(maskKeys(line.replace(/^\|/, ''))) ?? [])
  return words.length === 0 ? undefined : words.slice(-mostLines)
}

/** By what a line `TAG NAME` names: the lines with a bar after it. */
export function wordsByName(lines: readonly string[], tag: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  let open: string[] | undefined
  for (const line of lines) {
    if (line.startsWith(`${tag} `)) {
      open = []
      found.set(line.slice(tag.length + 1), open)
    } else if (line.startsWith('|')) open?.push(line)
    else open = undefined
  }
  return found
}
