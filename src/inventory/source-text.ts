import type { ErrorCode } from '../errors/catalogue.ts'
import type { Excerpt, InventoryIssue } from '../model/issue.ts'
import type { SourceRef } from '../model/source.ts'

/** The text of a file and its line starts. Offsets count UTF-16 units from 0. */
export interface SourceText {
  /** The file begins with a byte order mark, which is not in `text`. */
  readonly hasMark?: true
  /** The path as given on the command line, or below that path. */
  readonly file: string
  readonly text: string
  /** The offset of each line. */
  readonly lineStarts: readonly number[]
  /** Spans that are never shown. Grows while the file is read. */
  readonly hidden: Span[]
  /** What an issue may show: a line and the one above, only the line, or nothing. Decided while the file is read. */
  quoting: 'context' | 'line' | 'nothing'
}

export interface Span {
  readonly start: number
  readonly end: number
}

/** A range of characters in one of the files. */
export interface SourceRange extends Span {
  readonly source: SourceText
}

export function sourceText(file: string, text: string, quoting: SourceText['quoting'] = 'context'): SourceText {
  const lineStarts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1)
  return { file, text, lineStarts, hidden: [], quoting }
}

export function sourceRef(range: SourceRange): SourceRef {
  const line = lineIndex(range.source, range.start)
  return { file: range.source.file, line: line + 1, column: range.start - lineStart(range.source, line) + 1 }
}

/** An issue at a range, with an excerpt as far as it may be shown. */
export function issueAt(
  range: SourceRange,
  severity: InventoryIssue['severity'],
  code: ErrorCode,
  message: string,
): InventoryIssue {
  const at = sourceRef(range)
  return range.source.quoting === 'nothing'
    ? { severity, code, message, at }
    : { severity, code, message, at, excerpt: excerptOf(range) }
}

/** An issue about a link that is not followed. It does not show the target, because the author of the link may want to learn about it. */
export function issueOutside(path: string): InventoryIssue {
  const words =
    'This link leads outside the inventory, or nowhere. From an untrusted inventory, converge reads only files inside it. Put the file itself ' +
    'here, or run converge with --run-secret-commands if you trust the inventory.'
  return issueAbout(path, 'error', 'INPUT.OUTSIDE', words)
}

/** An issue about a whole file or folder. */
export function issueAbout(file: string, severity: InventoryIssue['severity'], code: ErrorCode, message: string): InventoryIssue {
  return { severity, code, message, at: { file, line: 1, column: 1 } }
}

/** Longer lines are cut around the range. */
const widest = 160

function excerptOf(range: SourceRange): Excerpt {
  const line = lineIndex(range.source, range.start)
  const start = lineStart(range.source, line)
  const end = Math.max(Math.min(range.end, lineEnd(range.source, line)), range.start)
  const shown = showLine(range.source, line)
  const from = shown.column(range.start - start)
  const to = Math.max(shown.column(end - start), from)
  if (shown.text.length > widest) return cutAround({ firstLine: line + 1, lines: [shown.text], from, to }, widest)
  const above = line > 0 && range.source.quoting === 'context' ? showLine(range.source, line - 1).text : undefined
  if (above === undefined || above.length > widest) return { firstLine: line + 1, lines: [shown.text], from, to }
  return { firstLine: line, lines: [above, shown.text], from, to }
}

/** Only the line of the mark, cut to `most` characters around it, with `…` at each end that was cut. */
export function cutAround({ firstLine, lines, from, to }: Excerpt, most: number): Excerpt {
  const text = lines.at(-1) ?? ''
  const cut = text.length <= most ? 0 : Math.max(0, Math.min(from, text.length) - Math.floor(most / 2))
  const head = cut > 0 ? '…' : ''
  const tail = cut + most < text.length ? '…' : ''
  const moved = head.length - cut
  return {
    firstLine: firstLine + lines.length - 1,
    lines: [head + text.slice(cut, cut + most) + tail],
    from: from + moved,
    to: Math.min(to + moved, most + head.length),
  }
}

interface ShownLine {
  readonly text: string
  /** The column in the shown line for a column of the real one. */
  column(real: number): number
}

/** A line with `***` for everything hidden. */
function showLine(source: SourceText, line: number): ShownLine {
  const start = lineStart(source, line)
  const raw = source.text.slice(start, lineEnd(source, line))
  const spans = hiddenIn(source, raw, start)
  let text = raw
  for (const span of spans.toReversed()) text = text.slice(0, span.start) + mask + text.slice(span.end)
  return { text, column: (real) => columnAfterMasking(spans, real) }
}

const mask = '***'

function columnAfterMasking(spans: readonly Span[], real: number): number {
  let moved = 0
  for (const span of spans) {
    if (real <= span.start) break
    if (real < span.end) return span.start + moved
    moved += mask.length - (span.end - span.start)
  }
  return real + moved
}

/** The hidden spans of a line, relative to its start: sorted, without overlaps. */
function hiddenIn(source: SourceText, raw: string, start: number): readonly Span[] {
  const spans = source.hidden
    .map((span) => ({ start: Math.max(span.start - start, 0), end: Math.min(span.end - start, raw.length) }))
    .filter((span) => span.start < span.end)
    .toSorted((a, b) => a.start - b.start)
  const apart: Span[] = []
  for (const span of spans) {
    const previous = apart.at(-1)
    if (previous === undefined || span.start >= previous.end) apart.push(span)
    else apart[apart.length - 1] = { start: previous.start, end: Math.max(previous.end, span.end) }
  }
  return apart
}

function lineIndex(source: SourceText, offset: number): number {
  let low = 0
  let high = source.lineStarts.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (lineStart(source, middle) <= offset) low = middle
    else high = middle - 1
  }
  return low
}

function lineStart(source: SourceText, line: number): number {
  return source.lineStarts[line] ?? source.text.length
}

function lineEnd(source: SourceText, line: number): number {
  const next = source.lineStarts[line + 1]
  const end = next === undefined ? source.text.length : next - 1
  return source.text.charAt(end - 1) === '\r' ? end - 1 : end
}
