import type { Pair, YAMLMap } from 'yaml'
import { type FlowStyle, flowEntries, flowMap } from './new-text.ts'
import { blanksBefore, headEnd, pairEnd, rangeOf } from './positions.ts'
import type { Edit, YamlFile } from './yaml-file.ts'

type Entries = Readonly<Record<string, unknown>>

/** Behind the last entry of a `{…}` that has some. */
export function insertInFlow({ text }: YamlFile, map: YAMLMap, entries: Entries): readonly Edit[] {
  const style = styleOf(text, map)
  const last = map.items.at(-1)
  const comma = trailingComma(map)
  const at = comma ?? (last === undefined ? 0 : pairEnd(last))
  const written = flowEntries(entries, style)
  const { lines } = style
  if (lines === undefined) {
    const words = written.join(', ')
    return [{ start: at, end: at, words: comma === undefined ? `, ${words}` : ` ${words},` }]
  }
  const lineEnd = at + text.slice(at).search(/\r?\n|$/u)
  const behind = rangeOf(map)[1] <= lineEnd ? at : lineEnd
  const words = written.map((entry) => `\n${lines.indent}${entry}`).join(',')
  if (comma !== undefined) return [{ start: behind, end: behind, words: `${words},` }]
  return [
    { start: at, end: at, words: ',' },
    { start: behind, end: behind, words },
  ]
}

/** The value of a key within `{…}` that has none, or `null` or `{}`. */
export function flowUnderKey({ text }: YamlFile, { map, pair }: { map: YAMLMap; pair: Pair }, entries: Entries): Edit {
  const { lines, ...style } = styleOf(text, map)
  const words = flowMap(
    entries,
    lines === undefined ? style : { ...style, lines: { ...lines, indent: lines.indent + lines.step } },
  )
  const [start, end] = rangeOf(pair.value)
  if (start < end) return { start, end, words }
  const head = headEnd(pair)
  const at = head ?? pairEnd(pair)
  return { start: at, end: at, words: head === undefined ? `: ${words}` : ` ${words}` }
}

/** Into an empty `{}`. One that is the whole file may be JSON. */
export function fillFlow({ text }: YamlFile, map: YAMLMap, entries: Entries): Edit {
  const [start, end] = rangeOf(map)
  if (text.slice(start + 1, end - 1).trim() !== '')
    return { start: end - 1, end: end - 1, words: flowEntries(entries, { isQuoted: false, isPadded: false }).join(', ') }
  return { start, end, words: flowMap(entries, { isQuoted: true, isPadded: false, lines: { indent: '  ', step: '  ' } }) }
}

/** Behind a comma after the last entry. */
function trailingComma(map: YAMLMap): number | undefined {
  if (map.srcToken?.type !== 'flow-collection') return undefined
  const last = map.srcToken.items.at(-1)
  if (last === undefined || last.key !== undefined || last.value !== undefined) return undefined
  const comma = last.start.find(({ type }) => type === 'comma')
  return comma === undefined ? undefined : comma.offset + 1
}

/** As the entries of the mapping are written. */
function styleOf(text: string, map: YAMLMap): FlowStyle {
  const [open] = rangeOf(map)
  const [key] = rangeOf(map.items.at(-1)?.key)
  const style = { isQuoted: text[key] === '"', isPadded: /\s/u.test(text.charAt(open + 1)) }
  const indent = blanksBefore(text, key)
  if (indent === undefined || !text.slice(open, key).includes('\n')) return style
  const line = text.lastIndexOf('\n', open) + 1
  const outer = text.slice(line).search(/[^ \t]/u)
  return { ...style, lines: { indent, step: indent.slice(outer) || '  ' } }
}
