import { insertEntries } from './insert-entries.ts'
import { changedAt, findEntry } from './locate.ts'
import { blanksBefore, columnOf, indentationIn, keyName, lineAfterEntry, pairEnd, rangeOf } from './positions.ts'
import { type EditFault, editYaml, readYaml } from './yaml-file.ts'

/** An entry of a block mapping: the whole lines from its key to the comments below its value that are indented further than its key. */
export interface EntryLines {
  /** Offsets in the text of the file. */
  readonly start: number
  readonly end: number
  /** Blanks in front of the key. */
  readonly column: number
  /** As it is written: `llama`, `"llama"`. */
  readonly key: string
  /** Spaces that each level below is indented. */
  readonly step: number
}

/** Where an entry is in the text of a YAML file; undefined: it is missing. A fault: it is within `{…}`, or its lines have other text too. */
export function entryLines(text: string, path: readonly string[]): EntryLines | EditFault | undefined {
  const mark = text.startsWith('\uFEFF') ? 1 : 0
  const file = readYaml(text.slice(mark))
  if ('why' in file) return file
  const found = findEntry(file, path)
  if ('why' in found || found.pair === undefined) return 'why' in found ? found : undefined
  const { outer, pair } = found
  const [at, keyEnd] = rangeOf(pair.key)
  const blanks = blanksBefore(file.text, at)
  if (outer.node === undefined || outer.node.flow === true) return { why: `\`${keyName(pair) ?? ''}\` is within \`{…}\`.` }
  if (blanks === undefined) return { why: `\`${keyName(pair) ?? ''}\` shares its line with other text.` }
  return {
    start: mark + at - blanks.length,
    end: mark + lineAfterEntry(file.text, pairEnd(pair), columnOf(outer.node)),
    column: blanks.length,
    key: file.text.slice(at, keyEnd),
    step: indentationIn(file, outer.node, outer.above.at(-1)?.map).step,
  }
}

/**
 * The text of a YAML file in which other lines stand for an entry. Every other byte stays. The new lines begin with the key, and end with a line
 * end; they get the line ends of the file.
 *
 * A fault: as `entryLines`; or the lines do not mean `value`; or the other values would change, for example because they refer to the old one.
 */
export function replaceEntry(
  text: string,
  path: readonly string[],
  { lines, value }: { readonly lines: string; readonly value: unknown },
): string | EditFault {
  const old = entryLines(text, path)
  if (old === undefined) return { why: `\`${path.join('.')}\` does not exist.` }
  if ('why' in old) return old
  const mark = text.startsWith('\uFEFF') ? 1 : 0
  const isOpen = old.end === text.length && !text.endsWith('\n')
  const edit = { start: old.start - mark, end: old.end - mark, words: isOpen ? lines.replace(/\n$/, '') : lines }
  return editYaml(text, (file) => ({
    edits: [edit],
    meant: changedAt(file.value, path.slice(0, -1), (members) => ({ ...members, [path.at(-1) ?? '']: value })),
  }))
}

/** The text with the entry, which has no value yet: behind the others, see `insertEntries`. */
export function withEmptyEntry(text: string, path: readonly string[]): string | EditFault {
  return insertEntries(text, path.slice(0, -1), { [path.at(-1) ?? '']: null })
}
