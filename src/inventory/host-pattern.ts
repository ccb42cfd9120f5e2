import { emptyPattern, unreadablePattern } from './host-pattern-errors.ts'
import { type Piece, splitHostPattern } from './host-pattern-split.ts'
import { compileHostRegex } from './host-regex.ts'
import type { HostPattern, HostTerm, Subscript, TermPosition, WantedNames } from './host-term.ts'

/**
 * Reads a host pattern in Ansible's grammar. What Ansible would silently misread is an error here: unmatched brackets,
 * `[0-2]` (positions or characters?), bounds that run backwards, an operator without a name, an empty regular expression.
 *
 * @throws ConvergeError `USAGE.PATTERN_EMPTY`, `USAGE.PATTERN`
 */
export function parseHostPattern(text: string): HostPattern {
  const terms = splitHostPattern(text).map((piece) => parsePiece(piece, text))
  if (terms.length === 0) throw emptyPattern(text)
  return { text, terms }
}

/** Reads one piece of `pattern`. */
export function parsePiece(piece: Piece, pattern: string): HostTerm {
  const position = { pattern, column: piece.at + 1 }
  if (piece.stray) throw unreadablePattern(piece.text, position, 'the bracket is not matched')
  return parseHostTerm(piece.text, position)
}

/** Reads one term without separators. */
export function parseHostTerm(text: string, position: TermPosition): HostTerm {
  const op = text.startsWith('!') ? 'exclude' : text.startsWith('&') ? 'intersect' : 'union'
  const body = op === 'union' ? text : text.slice(1)
  if (body.trim() === '') throw unreadablePattern(text, position, `nothing follows \`${text.charAt(0)}\``)
  try {
    return { text, op, ...(body.startsWith('~') ? parseRegex(body.slice(1)) : parseName(body)), position }
  } catch (error) {
    if (error instanceof SyntaxError) throw unreadablePattern(text, position, error.message)
    throw error
  }
}

type Selector = Pick<HostTerm, 'wanted' | 'subscript'>

function parseRegex(source: string): Selector {
  if (source === '') throw new SyntaxError('the regular expression is empty')
  compileHostRegex(source)
  return { wanted: { by: 'regex', source } }
}

function parseName(body: string): Selector {
  const [, expression, inner] = /^(.+)\[([^[\]]*)\]$/s.exec(body) ?? []
  const subscript = inner === undefined ? undefined : parseSubscript(inner)
  if (expression === undefined || subscript === undefined) return { wanted: parseGlob(body) }
  return { wanted: parseGlob(expression), subscript }
}

/** Undefined: these are characters of a glob, not positions. */
function parseSubscript(inner: string): Subscript | undefined {
  if (/^-?[0-9]+$/.test(inner)) return { index: Number(inner) }
  const [, first, last] = /^([0-9]+):([0-9]*)$/.exec(inner) ?? []
  if (first === undefined || last === undefined) return refuseLookalike(inner)
  if (last === '') return { first: Number(first) }
  if (Number(last) < Number(first)) throw new SyntaxError(`\`[${inner}]\` runs backwards`)
  return { first: Number(first), last: Number(last) }
}

function refuseLookalike(inner: string): undefined {
  const [, low, high] = /^([0-9]+)-([0-9]*)$/.exec(inner) ?? []
  if (low !== undefined) {
    throw new SyntaxError(
      `\`[${inner}]\` could mean positions, written \`[${low}:${high}]\`, or characters, written with a \`?\``,
    )
  }
  if (inner === '' || inner.includes(':')) {
    throw new SyntaxError(`\`[${inner}]\` is not a subscript; use \`[0]\`, \`[-1]\`, \`[0:2]\` or \`[1:]\``)
  }
  return undefined
}

function parseGlob(expression: string): WantedNames {
  if (/[[\]]/.test(expression.replace(/\[!?\]?[^\]]*\]/g, ''))) throw new SyntaxError('a bracket is not matched')
  return /[*?[]/.test(expression) ? { by: 'glob', glob: expression } : { by: 'name', name: expression }
}
