import { parseHostTerm, parsePiece } from './host-pattern.ts'
import { emptyLimitFile, emptyPattern, unreadableLimitFile, unreadablePattern } from './host-pattern-errors.ts'
import { type Piece, splitHostPattern } from './host-pattern-split.ts'
import type { HostPattern, HostTerm } from './host-term.ts'

/** Returns the lines of a file, relative to the current folder; throws if it cannot. */
export type ReadLines = (path: string) => readonly string[]

/**
 * Reads a `--limit`: a host pattern in which `@file` stands for the lines of that file. Each line is one term and is not split; blank lines and
 * lines that start with `#` are ignored. A file without a pattern is an error if nothing else names hosts.
 *
 * @throws ConvergeError `USAGE.PATTERN_EMPTY`, `USAGE.PATTERN`, `USAGE.LIMIT_FILE`
 */
export function parseHostLimit(text: string, readLines: ReadLines): HostPattern {
  const pieces = splitHostPattern(text)
  if (pieces.length === 0) throw emptyPattern(text)
  const read = pieces.map((piece) => (piece.text.startsWith('@') ? fileTerms(piece, text, readLines) : [parsePiece(piece, text)]))
  const terms = read.flat()
  // Otherwise a pattern with only exclusions would start from all hosts.
  const isMissed = read.some((some) => some.length === 0) && !terms.some(({ op }) => op === 'union')
  if (isMissed) throw emptyLimitFile(text)
  return { text, terms }
}

function fileTerms(piece: Piece, limit: string, readLines: ReadLines): readonly HostTerm[] {
  const file = piece.text.slice(1)
  if (file === '') throw unreadablePattern('@', { pattern: limit, column: piece.at + 1 }, 'no file name follows `@`')
  return linesOf(file, readLines).flatMap((raw, index) => {
    const line = raw.trim()
    return line === '' || line.startsWith('#') ? [] : [parseHostTerm(line, { file, line: index + 1 })]
  })
}

function linesOf(file: string, readLines: ReadLines): readonly string[] {
  try {
    return readLines(file)
  } catch (error) {
    throw unreadableLimitFile(file, error)
  }
}
