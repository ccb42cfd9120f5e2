import { type Document, isMap, isPair, isScalar, type Pair, parseDocument, Scalar, stringify, visit, type YAMLMap } from 'yaml'
import { stableJson } from '../lib/stable-json.ts'

/** The commit for the model source whose `revision` (or else `repo`) key is at a line and column, both from 1. */
export interface RevisionToWrite {
  readonly line: number
  readonly column: number
  readonly commit: string
}

/**
 * The text of an inventory file, YAML or JSON, with `revision: COMMIT` in the source. It replaces the existing one or follows `repo`; every other
 * character stays. Undefined: that is not possible without changing more.
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
  // A key in double quotes means JSON or a similar style.
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

/** The number of aliases is not limited here: the file was already read as an inventory. */
function meaningOf(document: Document.Parsed): string {
  return stableJson(document.toJS({ maxAliasCount: -1 }))
}

interface LocatedSource {
  readonly map: YAMLMap
  readonly pair: Pair
  /** The offset of its key. */
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

/** For `revision:` without a value. */
function emptyBehind({ key }: Pair): readonly [number, number] {
  const end = (rangeOf(key)?.[1] ?? 0) + 1
  return [end, end]
}
