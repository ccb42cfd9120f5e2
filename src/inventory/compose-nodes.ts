import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, type Scalar, type YAMLMap } from 'yaml'
import type { ErrorCode } from '../errors/catalogue.ts'
import type { InventoryIssue } from '../model/issue.ts'
import { didYouMean } from './did-you-mean.ts'
import { hideSecretArguments, hideSecretValue } from './hide-secrets.ts'
import { issueAt, type Place, type SourceText, sourceRef } from './source-text.ts'
import { isEmptyNode, type YamlEntry, type YamlKey, type YamlMap, type YamlNode, type YamlScalar } from './yaml-node.ts'

/** Aliases may stand for this many values altogether; a file that wants more is a mistake or an attack. */
const mostAliased = 1_000_000
const deepest = 100

/** The parser's tree as converge keeps it, with aliases and `<<` resolved; no tree at all when that would make it too large. */
export function composeNode(
  source: SourceText,
  contents: Node,
): { root: YamlNode | undefined; issues: readonly InventoryIssue[] } {
  const work: Work = { source, mistakes: [], anchors: new Map(), open: new Set(), count: 0, aliased: 0 }
  const root = compose(work, contents, { depth: 0, unsafe: false })
  // Only now is everything found that no excerpt may show.
  const issues = work.mistakes.map(({ place, code, message }) => issueAt(place, 'error', code, message))
  return { root: work.aliased > mostAliased ? undefined : root, issues }
}

interface Work {
  readonly source: SourceText
  readonly mistakes: { readonly place: Place; readonly code: ErrorCode; readonly message: string }[]
  readonly anchors: Map<string, { readonly node: YamlNode; readonly size: number }>
  /** Anchors whose node is not finished. */
  readonly open: Set<string>
  /** Values so far, those behind aliases as often as they are used. */
  count: number
  aliased: number
}

interface Where {
  readonly depth: number
  /** Below an `!unsafe`. */
  readonly unsafe: boolean
}

function compose(work: Work, node: Node, where: Where): YamlNode {
  if (isAlias(node)) return resolveAlias(work, node.source, placeOf(work, node))
  const anchor = node.anchor
  if (anchor === undefined) return composeOwn(work, node, where)
  const before = work.count
  work.open.add(anchor)
  const composed = composeOwn(work, node, where)
  work.open.delete(anchor)
  work.anchors.set(anchor, { node: composed, size: work.count - before })
  if (isEmptyNode(composed)) {
    const words = `\`&${anchor}\` gives a name to a value, and there is none. Text that starts with \`&\` needs quotes.`
    report(work, composed, 'INPUT.SYNTAX', words)
  }
  return composed
}

function composeOwn(work: Work, node: Node, outside: Where): YamlNode {
  work.count += 1
  const place = placeOf(work, node)
  const where = { depth: outside.depth + 1, unsafe: outside.unsafe || node.tag === '!unsafe' }
  if (where.depth > deepest) {
    report(work, place, 'INPUT.SYNTAX', `This is nested more than ${deepest} levels deep.`)
    return emptyAt(place)
  }
  if (isMap(node)) return composeMap(work, node, place, where)
  if (isSeq(node)) {
    const items = node.items.map((item) => compose(work, toNode(item), where))
    hideSecretArguments(work.source, items)
    return { type: 'list', items, ...place }
  }
  return isScalar(node) ? composeScalar(work, node, place, where) : emptyAt(place)
}

function composeScalar(work: Work, node: Scalar, place: Place, where: Where): YamlScalar {
  const { value } = node
  const tag = node.tag?.startsWith('!vault') === true ? { tag: 'vault' as const } : where.unsafe ? { tag: 'unsafe' as const } : {}
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null) {
    return { type: 'scalar', value, plain: node.type === 'PLAIN' && node.tag === undefined, ...tag, ...place }
  }
  report(work, place, 'INPUT.VALUE', 'This is neither text, a number, `true`, `false` nor empty. Put it in quotes.')
  return emptyAt(place)
}

function composeMap(work: Work, node: YAMLMap, place: Place, where: Where): YamlMap {
  const entries = new Map<string, YamlEntry>()
  const merged: YamlNode[] = []
  for (const pair of node.items) {
    const key = readKey(work, pair, place)
    const value = pair.value === null ? emptyAt(key ?? place) : compose(work, toNode(pair.value), where)
    if (key === undefined) continue
    if (key.name === '<<' && key.plain) merged.push(value)
    else addEntry(work, entries, key, value)
  }
  for (const value of merged) mergeInto(work, entries, value)
  return { type: 'map', entries, ...place }
}

function addEntry(work: Work, entries: Map<string, YamlEntry>, key: YamlKey & { readonly name: string }, value: YamlNode): void {
  hideSecretValue(work.source, key.name, value)
  const first = entries.get(key.name)
  if (first === undefined) {
    entries.set(key.name, { key, value })
    return
  }
  const line = sourceRef(first.key).line
  report(
    work,
    key,
    'INPUT.SYNTAX',
    `\`${key.name}\` stands here twice; the first is on line ${line}. Only one of them can count.`,
  )
}

function readKey(work: Work, pair: Pair, map: Place): (YamlKey & { readonly name: string }) | undefined {
  const key = pair.key
  if (!isScalar(key)) {
    const words = 'A key has to be text. Text with `{`, `[` or `*` at its start needs quotes.'
    report(work, isNode(key) ? placeOf(work, key) : map, 'INPUT.SYNTAX', words)
    return undefined
  }
  const place = placeOf(work, key)
  const plain = key.type === 'PLAIN'
  if (typeof key.value === 'string') return { ...place, plain, name: key.value }
  const raw = work.source.text.slice(place.start, place.end)
  report(work, place, 'INPUT.SYNTAX', `The key \`${raw}\` is not text for YAML. Put it in quotes: \`"${raw}"\`.`)
  return undefined
}

/** YAML's merge: what stands in the map itself wins, then the first of several. */
function mergeInto(work: Work, entries: Map<string, YamlEntry>, value: YamlNode): void {
  const maps = value.type === 'list' ? value.items : [value]
  for (const map of maps) {
    if (map.type === 'map') {
      for (const [name, entry] of map.entries) if (!entries.has(name)) entries.set(name, entry)
    } else report(work, value, 'INPUT.SYNTAX', '`<<` takes an alias of a map, or a list of such aliases.')
  }
}

function resolveAlias(work: Work, name: string, place: Place): YamlNode {
  const target = work.anchors.get(name)
  if (target === undefined) {
    const words = work.open.has(name)
      ? `\`*${name}\` stands inside what it refers to.`
      : `There is no \`&${name}\` above.${didYouMean(name, [...work.anchors.keys()])} A glob that starts with \`*\` needs quotes.`
    report(work, place, 'INPUT.SYNTAX', words)
    return emptyAt(place)
  }
  const tooMany = work.aliased > mostAliased
  work.count += target.size
  work.aliased += target.size
  if (work.aliased <= mostAliased) return target.node
  if (!tooMany) report(work, place, 'INPUT.SYNTAX', `The aliases of this file stand for more than ${mostAliased} values.`)
  return emptyAt(place)
}

function report(work: Work, place: Place, code: ErrorCode, message: string): void {
  work.mistakes.push({ place, code, message })
}

function placeOf(work: Work, node: Node): Place {
  const [start, end] = node.range ?? [0, 0]
  return { source: work.source, start, end }
}

function emptyAt(place: Place): YamlScalar {
  return { type: 'scalar', value: null, plain: true, source: place.source, start: place.start, end: place.end }
}

function isNode(value: unknown): value is Node {
  return isScalar(value) || isMap(value) || isSeq(value) || isAlias(value)
}

function toNode(value: unknown): Node {
  if (isNode(value)) return value
  throw new TypeError('the YAML parser gave something that is no node')
}
