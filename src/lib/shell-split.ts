import { parse } from 'shell-quote'

/**
 * Words of one line as a POSIX shell splits them; quotes group, nothing is expanded.
 * @returns undefined if an operator (`;`, `|`, `>` …) or a comment is outside quotes
 */
export function shellSplit(line: string): readonly string[] | undefined {
  const words: string[] = []
  for (const entry of parse(line, (name) => `$${name}`)) {
    if (typeof entry === 'string') words.push(entry)
    else if ('op' in entry && entry.op === 'glob') words.push(entry.pattern)
    else return undefined
  }
  return words
}
