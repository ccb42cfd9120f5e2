import { type Document, isMap, isPair, isScalar, type Pair, parseDocument, Scalar, stringify, visit, type YAMLMap } from 'yaml'
import { stableJson } from '../lib/stable-json.ts'

/** The commit for the model source whose `revision` (else `repo`) key stands at a line and column, both from 1. */
export interface RevisionToWrite {
  readonly line: number
  readonly column: number
  readonly commit: string
}

/**
 * The text of an inventory file, YAML or JSON, with `revision: COMMIT` in the source, in the place of the one that is there or behind
 * `repo`. Every other character stays as it is. Undefined: that cannot be written without changing more.
 */
export function writeRevision(text: string, revision: RevisionToWrite): string | undefined {
  const before = parsed(text)
  const found = sourceAt(before, text, revision)
  const edit = found === undefined ? undefined : editFor(text, found, revision)
  if (found === undefined || edit === undefined) return undefined
  const changed = text.slice(0, edit.start) + edit.words + text.slice(edit.end)
  const after = parsed(changed)
  found.map.set('revision', revision.commit)
  return after.errors.length === 0 && meaningOf(after) === meaningOf(before) ? changed : undefined
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly words: string
}

function editFor(text: string, { map, pair, offset }: LocatedSource, { commit }: RevisionToWrite): Edit | undefined {
  // A key in double quotes stands in JSON, or in what somebody writes like it.
  const isQuoted = text[offset] === '"'
  const value = isQuoted ? JSON.stringify(commit) : stringify(commit).trim()
  const there = map.items.find(({ key }) => isScalar(key) && key.value === 'revision')
  if (there !== undefined) return replaced(there, value)
  const end = (rangeOf(pair.value) ?? emptyBehind(pair))[1]
  if (map.flow === true) return { start: end, end, words: `, ${isQuoted ? '"revision"' : 'revision'}: ${value}` }
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1
  const newline = text.startsWith('\r\n', lineStart - 2) ? '\r\n' : '\n'
  const lineEnd = text.indexOf(newline, end)
  const behind = lineEnd < 0 ? text.length : lineEnd
  return { start: behind, end: behind, words: `${newline}${' '.repeat(offset - lineStart)}revision: ${value}` }
}

function replaced(there: Pair, value: string): Edit | undefined {
  const isBlock = isScalar(there.value) && (there.value.type === Scalar.BLOCK_FOLDED || there.value.type === Scalar.BLOCK_LITERAL)
  if (isBlock) return undefined
  const [start, end] = rangeOf(there.value) ?? emptyBehind(there)
  return { start, end, words: start === end ? ` ${value}` : value }
}

function parsed(text: string): Document.Parsed {
  return parseDocument(text, { uniqueKeys: false, prettyErrors: false, schema: 'core', merge: false, logLevel: 'silent' })
}

/** The file was read as an inventory before, however many aliases are in it. */
function meaningOf(document: Document.Parsed): string {
  return stableJson(document.toJS({ maxAliasCount: -1 }))
}

interface LocatedSource {
  readonly map: YAMLMap
  readonly pair: Pair
  /** Of its key. */
  readonly offset: number
}

function sourceAt(document: Document.Parsed, text: string, { line, column }: RevisionToWrite): LocatedSource | undefined {
  const offset = offsetOf(text, line, column)
  let found: LocatedSource | undefined
  visit(document, {
    Pair: (_, pair, path) => {
      const parent = path.at(-1)
      if (!isScalar(pair.key) || pair.key.range?.[0] !== offset || !isMap(parent)) return undefined
      found = { map: parent, pair, offset }
      return visit.BREAK
    },
  })
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
