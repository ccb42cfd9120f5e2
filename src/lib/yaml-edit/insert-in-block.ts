import type { Place } from './locate.ts'
import { type BlockEntries, blockText } from './new-text.ts'
import { columnOf, headEnd, indentationIn, lineAfterEntry, pairEnd, rangeOf } from './positions.ts'
import type { Edit, YamlFile } from './yaml-file.ts'

/** Behind the last entry of a mapping that has some. */
export function insertInBlock(file: YamlFile, { node, above }: Pick<Place, 'node' | 'above'>, given: BlockEntries): Edit {
  const column = node === undefined ? 0 : columnOf(node)
  const last = node?.items.at(-1)
  const at = lineAfterEntry(file.text, last === undefined ? 0 : pairEnd(last), column)
  return newLines(file.text, at, blockText(given, indentationIn(file, node, above.at(-1)?.map), column))
}

/** Below the innermost key, in place of `{}` or `null`; in a file without values, at its end. */
export function insertUnderKey(file: YamlFile, above: Place['above'], given: BlockEntries): readonly Edit[] {
  const { text } = file
  const parent = above.at(-1)
  if (parent === undefined) return [newLines(text, endOfDocument(text), blockText(given, indentationIn(file), 0))]
  const { map, pair } = parent
  const indentation = indentationIn(file, map, above.at(-2)?.map)
  const column = columnOf(map)
  const words = blockText(given, indentation, column + indentation.step)
  const lines = newLines(text, lineAfterEntry(text, pairEnd(pair), column), words)
  const [start, end] = rangeOf(pair.value)
  if (start === end) return [lines]
  const head = headEnd(pair) ?? start
  return [{ start: text.slice(head, start).trim() === '' ? head : start, end, words: '' }, lines]
}

function endOfDocument(text: string): number {
  const end = text.search(/^\.\.\.(?:\s|$)/mu)
  return end < 0 ? text.length : end
}

/** A file without a final line end stays so. */
function newLines(text: string, at: number, words: string): Edit {
  const isOpen = at > 0 && text[at - 1] !== '\n'
  return { start: at, end: at, words: isOpen ? `\n${words.slice(0, -1)}` : words }
}
