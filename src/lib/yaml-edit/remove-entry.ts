import type { Pair, YAMLMap } from 'yaml'
import { changedAt, findEntry, type Place } from './locate.ts'
import { blanksBefore, columnOf, headEnd, keyName, lineAfterEntry, pairEnd, rangeOf } from './positions.ts'
import { type Edit, type EditFault, editYaml, type YamlFile } from './yaml-file.ts'

/**
 * The text of a YAML (or JSON) file without the key at `path` and its value. If it was the only one, `{}` remains.
 *
 * Comments go with the key if they are directly above it, without an empty line, and start in its column; so do comments below its value that are
 * indented further than the key. All others stay, and so does a comment at the very top of the file: it is about the file.
 *
 * A fault: the key does not exist there, shares its line with other text, or the other values would change. Within `{…}`, comments between
 * entries are a fault too.
 */
export function removeEntry(text: string, path: readonly string[]): string | EditFault {
  return editYaml(text, (file) => {
    const found = findEntry(file, path)
    if ('why' in found) return found
    const { outer, pair } = found
    if (pair === undefined) return { why: `\`${path.join('.')}\` does not exist.` }
    const edits = outer.node?.flow === true ? withoutInFlow(file, outer.node, pair) : withoutInBlock(file, outer, pair)
    if ('why' in edits) return edits
    const without = (members: Readonly<Record<string, unknown>>) =>
      Object.fromEntries(Object.entries(members).filter(([key]) => key !== path.at(-1)))
    return { edits, meant: changedAt(file.value, path.slice(0, -1), without) }
  })
}

function withoutInBlock({ text }: YamlFile, { node, above }: Place, pair: Pair): readonly Edit[] | EditFault {
  const key = rangeOf(pair.key)[0]
  const blanks = blanksBefore(text, key)
  if (blanks === undefined || node === undefined) return { why: `\`${keyName(pair) ?? ''}\` shares its line with other text.` }
  const start = startOfComment(text, key - blanks.length, blanks.length)
  const end = lineAfterEntry(text, pairEnd(pair), columnOf(node))
  if (node.items.length > 1) return [lines(text, start, end)]
  const head = above.at(-1)
  const at = head === undefined ? undefined : headEnd(head.pair)
  if (at === undefined) return [{ start, end, words: '{}\n' }]
  return [{ start: at, end: at, words: ' {}' }, lines(text, start, end)]
}

/** At the end of a file without a final line end, the line end before goes instead. */
function lines(text: string, start: number, end: number): Edit {
  const isOpen = end === text.length && !text.endsWith('\n')
  const before = isOpen ? (/\r?\n$/u.exec(text.slice(0, start))?.[0].length ?? 0) : 0
  return { start: start - before, end, words: '' }
}

/** The start of the comment lines directly above a line that begin in a column. */
function startOfComment(text: string, line: number, column: number): number {
  let start = line
  while (start > 0) {
    const before = start === 1 ? 0 : text.lastIndexOf('\n', start - 2) + 1
    if (/^[ \t]*(?=#)/u.exec(text.slice(before, start))?.[0].length !== column) return start
    start = before
  }
  // The comment begins the file.
  return line
}

function withoutInFlow({ text }: YamlFile, map: YAMLMap, pair: Pair): readonly Edit[] | EditFault {
  const index = map.items.indexOf(pair)
  const [before, after] = [map.items[index - 1], map.items[index + 1]]
  const [open, close] = rangeOf(map)
  const [from, to] = [rangeOf(pair.key)[0], pairEnd(pair)]
  const start = after !== undefined ? from : before === undefined ? open + 1 : pairEnd(before)
  const end = after !== undefined ? rangeOf(after.key)[0] : before === undefined ? close - 1 : to
  const around = text.slice(start, from) + text.slice(to, end)
  return around.includes('#') ? { why: 'A comment is between the entries of a `{…}`.' } : [{ start, end, words: '' }]
}
