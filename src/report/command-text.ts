import { shellQuote } from '../lib/shell-quote.ts'

/**
 * A script as people read it, line by line. If the script has every argument as `"$1"` or `"$@"`, the arguments replace these; otherwise they
 * are listed below it.
 */
export function commandLines(script: string, args: readonly string[]): readonly string[] {
  const lines = script.trim().split('\n')
  if (args.length === 0) return lines
  if (isPlain(script))
    return lines.flatMap((line) => line.replaceAll(placeholder, (_, place: string) => inPlace(place, args)).split('\n'))
  return [...lines, ...`with ${shellQuote(args)}`.split('\n')]
}

/** Lines of a script, with only the name of each shell function that `shown` has. Adds the others to `shown`. */
export function withoutShown(lines: readonly string[], shown: Set<string>): readonly string[] {
  const kept: string[] = []
  const before: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const name = /^(\w+)\(\) \{/.exec(lines[at] ?? '')?.[1]
    const end = name === undefined ? at : endOfFunction(lines, at)
    const text = lines.slice(at, end + 1)
    if (name !== undefined && shown.has(text.join('\n'))) before.push(name)
    else kept.push(...text)
    if (name !== undefined) shown.add(text.join('\n'))
    at = end
  }
  return before.length === 0 ? kept : [`# as above: ${before.join(', ')}`, ...kept]
}

function endOfFunction(lines: readonly string[], start: number): number {
  if (lines[start]?.endsWith('}') === true) return start
  const end = lines.indexOf('}', start)
  return end < 0 ? start : end
}

const placeholder = /"\$(\d|@)"/g

/** All arguments are in double quotes, none of these is inside other quotes, and the script does not reassign them. */
function isPlain(script: string): boolean {
  return !/\b(?:shift|set)\b|'|\(\) \{/.test(script) && !script.replaceAll(placeholder, '').includes('$')
}

function inPlace(place: string, args: readonly string[]): string {
  if (place === '@') return shellQuote(args)
  return shellQuote([args[Number(place) - 1] ?? ''])
}
