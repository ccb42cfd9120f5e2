import { type Document, isMap, isPair, isScalar, type Pair, parseDocument, stringify, visit, type YAMLMap } from 'yaml'
import { InternalError } from '../errors/converge-error.ts'
import { stableJson } from '../lib/stable-json.ts'

/** The commit for the model source whose `revision` (else `repo`) key stands at a line and column, both from 1. */
export interface RevisionToWrite {
  readonly line: number
  readonly column: number
  readonly commit: string
}

/**
 * The text of an inventory file with `revision: COMMIT` in each of these sources, in the place of the one that is there or behind `repo`.
 * Every other character stays as it is.
 *
 * @throws InternalError where the result would not mean what it should
 */
export function writeRevisions(text: string, revisions: readonly RevisionToWrite[]): string {
  const edits = new Map(revisions.map((one) => editFor(text, one)).map((edit) => [edit.start, edit]))
  const changed = [...edits.values()]
    .toSorted((a, b) => b.start - a.start)
    .reduce((so, { start, end, words }) => so.slice(0, start) + words + so.slice(end), text)
  const meant = parsed(text)
  for (const one of revisions) sourceAt(meant, text, one).map.set('revision', one.commit)
  const result = parsed(changed)
  if (result.errors.length > 0 || stableJson(result.toJS()) !== stableJson(meant.toJS()))
    throw new InternalError('a revision cannot be written into the inventory without changing more')
  return changed
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly words: string
}

function editFor(text: string, revision: RevisionToWrite): Edit {
  const { map, pair, offset } = sourceAt(parsed(text), text, revision)
  const value = stringify(revision.commit).trim()
  const there = map.items.find(({ key }) => isScalar(key) && key.value === 'revision')
  if (there !== undefined) {
    const [start, end] = rangeOf(there.value) ?? emptyBehind(there)
    return { start, end, words: start === end ? ` ${value}` : value }
  }
  const end = (rangeOf(pair.value) ?? emptyBehind(pair))[1]
  if (map.flow === true) return { start: end, end, words: `, revision: ${value}` }
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1
  const newline = text.startsWith('\r\n', lineStart - 2) ? '\r\n' : '\n'
  const lineEnd = text.indexOf(newline, end)
  const behind = lineEnd < 0 ? text.length : lineEnd
  const indent = ' '.repeat(offset - lineStart)
  return { start: behind, end: behind, words: `${newline}${indent}revision: ${value}` }
}

function parsed(text: string) {
  return parseDocument(text, { uniqueKeys: false, prettyErrors: false, schema: 'core', merge: false, logLevel: 'silent' })
}

interface Found {
  readonly map: YAMLMap
  readonly pair: Pair
  /** Of its key. */
  readonly offset: number
}

function sourceAt(document: Document.Parsed, text: string, { line, column }: RevisionToWrite): Found {
  const offset = offsetOf(text, line, column)
  let found: Found | undefined
  visit(document, {
    Pair: (_, pair, path) => {
      const parent = path.at(-1)
      if (!isScalar(pair.key) || pair.key.range?.[0] !== offset || !isMap(parent)) return undefined
      found = { map: parent, pair, offset }
      return visit.BREAK
    },
  })
  if (found === undefined) throw new InternalError(`there is no model source at ${line}:${column} of an inventory file`)
  return found
}

function offsetOf(text: string, line: number, column: number): number {
  let start = 0
  for (let count = 1; count < line; count++) start = text.indexOf('\n', start) + 1
  return start + column - 1
}

function rangeOf(node: unknown): readonly [number, number] | undefined {
  if (typeof node !== 'object' || node === null || isPair(node) || !('range' in node)) return undefined
  const { range } = node
  return Array.isArray(range) ? [Number(range[0]), Number(range[1])] : undefined
}

/** `revision:` with nothing behind it. */
function emptyBehind({ key }: Pair): readonly [number, number] {
  const end = (rangeOf(key)?.[1] ?? 0) + 1
  return [end, end]
}
