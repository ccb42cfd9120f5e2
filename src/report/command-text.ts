import { shellQuote } from '../lib/shell-quote.ts'

/**
 * A script as it can be read, line by line. Where every argument stands in it as `"$1"` or `"$@"`, the arguments stand in their places; else
 * they are listed below it.
 */
export function commandLines(script: string, args: readonly string[]): readonly string[] {
  const lines = script.trim().split('\n')
  if (args.length === 0) return lines
  if (isPlain(script)) return lines.map((line) => line.replaceAll(placeholder, (_, place: string) => inPlace(place, args)))
  return [...lines, ...`with ${shellQuote(args)}`.split('\n')]
}

const placeholder = /"\$(\d|@)"/g

/** No argument is used but between double quotes, none of these stands within other quotes, and the script does not change what they are. */
function isPlain(script: string): boolean {
  return !/\b(?:shift|set)\b|'|\(\) \{/.test(script) && !script.replaceAll(placeholder, '').includes('$')
}

function inPlace(place: string, args: readonly string[]): string {
  if (place === '@') return shellQuote(args)
  return shellQuote([args[Number(place) - 1] ?? ''])
}
