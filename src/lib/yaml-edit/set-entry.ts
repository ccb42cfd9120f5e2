import { isAlias, isScalar, type Pair, Scalar } from 'yaml'
import { insertEntries } from './insert-entries.ts'
import { changedAt, findEntry, noKey } from './locate.ts'
import { type ScalarValue, scalarText } from './new-text.ts'
import { headEnd, isEmptyValue, pairEnd, rangeOf } from './positions.ts'
import { type Edit, type EditFault, editYaml } from './yaml-file.ts'

/**
 * The text of a YAML (or JSON) file in which the key at `path` has this value. An existing value is replaced, which must be on one level (no
 * mapping, no list) and no block of text; a missing key is added, see `insertEntries`. Every other byte stays.
 */
export function setEntry(text: string, path: readonly string[], value: ScalarValue): string | EditFault {
  const name = path.at(-1)
  if (name === undefined) return noKey
  const outer = path.slice(0, -1)
  let isMissing = false
  const replaced = editYaml(text, (file) => {
    const meant = changedAt(file.value, outer, (members) => ({ ...members, [name]: value }))
    const found = findEntry(file, path)
    if ('why' in found) return found
    const { pair } = found
    isMissing = pair === undefined
    if (pair === undefined) return { why: `\`${path.join('.')}\` does not exist.` }
    const edit = replaceScalar(file.text, pair, value)
    return edit === undefined ? { why: `\`${path.join('.')}\` has a value of several lines or parts.` } : { edits: [edit], meant }
  })
  return isMissing ? insertEntries(text, outer, { [name]: value }) : replaced
}

/** Undefined: the value is a mapping, a list or a block of text. A key in double quotes means JSON or a similar style. */
export function replaceScalar(text: string, pair: Pair, value: ScalarValue): Edit | undefined {
  const { key, value: old } = pair
  if (isBlock(old) || !(isScalar(old) || isAlias(old) || isEmptyValue(old))) return undefined
  const words = text[rangeOf(key)[0]] === '"' ? JSON.stringify(value) : scalarText(value)
  const [start, end] = rangeOf(old)
  if (start < end) return { start, end, words }
  const head = headEnd(pair)
  const at = head ?? pairEnd(pair)
  return { start: at, end: at, words: head === undefined ? `: ${words}` : ` ${words}` }
}

function isBlock(value: unknown): boolean {
  return isScalar(value) && (value.type === Scalar.BLOCK_FOLDED || value.type === Scalar.BLOCK_LITERAL)
}
