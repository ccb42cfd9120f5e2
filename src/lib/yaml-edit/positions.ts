import { isMap, isNode, isScalar, isSeq, type Pair, visit, type YAMLMap } from 'yaml'
import type { YamlFile } from './yaml-file.ts'

/** Start and end of a node, without the comments behind it; the same twice: it is not written (`key:`). */
export function rangeOf(node: unknown): readonly [number, number] {
  if (!isNode(node) || !node.range) return [0, 0]
  const [start, end] = node.range
  return [start, end]
}

/** The offset of a line and column, both from 1. */
export function offsetOf(text: string, line: number, column: number): number {
  let start = 0
  for (let count = 1; count < line; count++) start = text.indexOf('\n', start) + 1
  return start + column - 1
}

/** The key as text; undefined: an alias, a collection or `<<`. */
export function keyName({ key }: Pair): string | undefined {
  if (!isScalar(key) || typeof key.value === 'symbol') return undefined
  return String(key.value)
}

export function isEmptyValue(node: unknown): boolean {
  return node === null || node === undefined || (isScalar(node) && node.value === null)
}

/** Behind the colon of a key, and behind an anchor and a tag that follow it; undefined: there is no colon. */
export function headEnd(pair: Pair): number | undefined {
  const head = pair.srcToken?.sep?.findLast(({ type }) => type === 'map-value-ind' || type === 'anchor' || type === 'tag')
  return head === undefined ? undefined : head.offset + head.source.length
}

/** Behind the last character of a pair; behind the last line of a block of text. */
export function pairEnd(pair: Pair): number {
  return isNode(pair.value) ? nodeEnd(pair.value) : (headEnd(pair) ?? rangeOf(pair.key)[1])
}

function nodeEnd(node: unknown): number {
  if (isMap(node) && node.flow !== true) {
    const last = node.items.at(-1)
    if (last !== undefined) return pairEnd(last)
  }
  return isSeq(node) && node.flow !== true && node.items.length > 0 ? nodeEnd(node.items.at(-1)) : rangeOf(node)[1]
}

/** The start of the line after a place, or the end of the text. */
function nextLine(text: string, at: number): number {
  if (text[at - 1] === '\n') return at
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end + 1
}

/**
 * The start of the line after an entry and the comments that belong to it: those deeper than its key. Comments at the column of the key, or
 * further left, belong to the block or to what follows.
 */
export function lineAfterEntry(text: string, end: number, column: number): number {
  const comment = /(?:[ \t]*\r?\n)*([ \t]*)#[^\n]*(?:\n|$)/y
  for (let at = nextLine(text, end); ; at = comment.lastIndex) {
    comment.lastIndex = at
    const found = comment.exec(text)
    if (found === null || (found[1] ?? '').length <= column) return at
  }
}

/** Blanks in front of a place, if there is nothing else on its line. */
export function blanksBefore(text: string, at: number): string | undefined {
  const before = text.slice(text.lastIndexOf('\n', at - 1) + 1, at)
  return at > 0 && before.trim() !== '' ? undefined : before
}

/** The column of the keys of a block mapping. */
export function columnOf(map: YAMLMap): number {
  return map.srcToken?.type === 'block-map' ? map.srcToken.indent : 0
}

/** How the file indents. */
export interface Indentation {
  /** Spaces from the keys of a mapping to those of a mapping below. */
  readonly step: number
  /** Lists are indented below their key. */
  readonly indentsLists: boolean
}

/** As the mapping itself does, or else the mapping around it, or else the file, or else two spaces. */
export function indentationIn(file: YamlFile, map?: YAMLMap, outer?: YAMLMap): Indentation {
  const around = map === undefined || outer === undefined ? undefined : columnOf(map) - columnOf(outer)
  const own = map?.items.map((pair) => stepOf(map, pair)).find((step) => step !== undefined)
  return {
    step: own ?? around ?? firstOf(file.document, stepOf) ?? 2,
    indentsLists: (map === undefined ? undefined : firstOf(map, indentsList)) ?? firstOf(file.document, indentsList) ?? true,
  }
}

function stepOf(map: YAMLMap, { value }: Pair): number | undefined {
  return isMap(value) && value.srcToken?.type === 'block-map' ? value.srcToken.indent - columnOf(map) : undefined
}

function indentsList(map: YAMLMap, { value }: Pair): boolean | undefined {
  return isSeq(value) && value.srcToken?.type === 'block-seq' ? value.srcToken.indent > columnOf(map) : undefined
}

function firstOf<T>(within: Parameters<typeof visit>[0], probe: (map: YAMLMap, pair: Pair) => T | undefined): T | undefined {
  let first: T | undefined
  visit(within, {
    Map: (_, map) => {
      first = map.items.map((pair) => probe(map, pair)).find((found) => found !== undefined)
      return first === undefined ? undefined : visit.BREAK
    },
  })
  return first
}
