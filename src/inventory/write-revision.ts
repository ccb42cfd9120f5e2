import { type Document, isMap, isScalar, type Pair, visit, type YAMLMap } from 'yaml'
import { stableJson } from '../lib/stable-json.ts'
import { scalarText } from '../lib/yaml-edit/new-text.ts'
import { keyName, offsetOf, pairEnd, rangeOf } from '../lib/yaml-edit/positions.ts'
import { replaceScalar } from '../lib/yaml-edit/set-entry.ts'
import { applyEdits, type Edit, parsedForEdit } from '../lib/yaml-edit/yaml-file.ts'

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
  const before = parsedForEdit(text)
  const found = sourceAt(before, text, revision)
  const edit = found === undefined ? undefined : editFor(text, found, revision)
  if (found === undefined || edit === undefined) return undefined
  const changed = applyEdits(text, [edit])
  const after = parsedForEdit(changed)
  found.map.set('revision', revision.commit)
  return after.errors.length === 0 && meaningOf(after) === meaningOf(before) ? changed : undefined
}

function editFor(text: string, { map, pair, offset }: LocatedSource, { commit }: RevisionToWrite): Edit | undefined {
  const there = map.items.find((item) => keyName(item) === 'revision')
  if (there !== undefined) return replaceScalar(text, there, commit)
  // A key in double quotes means JSON or a similar style.
  const isQuoted = text[offset] === '"'
  const value = isQuoted ? JSON.stringify(commit) : scalarText(commit)
  const end = pairEnd(pair)
  if (map.flow === true) return { start: end, end, words: `, ${isQuoted ? '"revision"' : 'revision'}: ${value}` }
  const column = offset - text.lastIndexOf('\n', offset - 1) - 1
  const behind = end + text.slice(end).search(/\r?\n|$/u)
  return { start: behind, end: behind, words: `\n${' '.repeat(column)}revision: ${value}` }
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
      if (!isScalar(pair.key) || rangeOf(pair.key)[0] !== offset || !isMap(parent)) return undefined
      found = { map: parent, pair, offset }
      return visit.BREAK
    },
  })
  return found
}
