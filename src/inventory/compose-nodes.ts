import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, type Scalar, type YAMLMap } from 'yaml'
import type { ErrorCode } from '../errors/catalogue.ts'
import type { InventoryIssue } from '../model/issue.ts'
import { didYouMean } from './did-you-mean.ts'
import { hideSecretArguments, hideSecretValue } from './hide-secrets.ts'
import { issueAt, type SourceRange, type SourceText, sourceRef } from './source-text.ts'
import { isEmptyNode, type YamlEntry, type YamlKey, type YamlMap, type YamlNode, type YamlScalar } from './yaml-node.ts'

/** The most values that all aliases of a file may stand for; more is a mistake or an attack. */
const mostAliased = 1_000_000
const deepest = 100

/** Converts the parser's tree, with aliases and `<<` resolved. There is no tree if it would be too large. */
export function composeNode(
  source: SourceText,
  contents: Node,
): { root: YamlNode | undefined; issues: readonly InventoryIssue[] } {
  const state: CompositionState = { source, mistakes: [], anchors: new Map(), open: new Set(), count: 0, aliased: 0 }
  const root = compose(state, contents, { depth: 0, unsafe: false })
  // Only now is everything known that no excerpt may show.
  const issues = state.mistakes.map(({ range, code, message }) => issueAt(range, 'error', code, message))
  return { root: state.aliased > mostAliased ? undefined : root, issues }
}

interface CompositionState {
  readonly source: SourceText
  readonly mistakes: { readonly range: SourceRange; readonly code: ErrorCode; readonly message: string }[]
  readonly anchors: Map<string, { readonly node: YamlNode; readonly size: number }>
  /** Anchors whose node is not finished. */
  readonly open: Set<string>
  /** The number of values so far, counting aliased ones once for each use. */
  count: number
  aliased: number
}

interface NodeContext {
  readonly depth: number
  /** Below an `!unsafe`. */
  readonly unsafe: boolean
}

function compose(state: CompositionState, node: Node, context: NodeContext): YamlNode {
  if (isAlias(node)) return resolveAlias(state, node.source, rangeOf(state, node))
  const anchor = node.anchor
  if (anchor === undefined) return composeOwn(state, node, context)
  const before = state.count
  state.open.add(anchor)
  const composed = composeOwn(state, node, context)
  state.open.delete(anchor)
  state.anchors.set(anchor, { node: composed, size: state.count - before })
  if (isEmptyNode(composed)) {
    const words = `\`&${anchor}\` names a value, but there is none. Text that starts with \`&\` needs quotes.`
    report(state, composed, 'INPUT.SYNTAX', words)
  }
  return composed
}

function composeOwn(state: CompositionState, node: Node, outside: NodeContext): YamlNode {
  state.count += 1
  const range = rangeOf(state, node)
  const context = { depth: outside.depth + 1, unsafe: outside.unsafe || node.tag === '!unsafe' }
  if (context.depth > deepest) {
    report(state, range, 'INPUT.SYNTAX', `This is nested more than ${deepest} levels deep.`)
    return emptyAt(range)
  }
  if (isMap(node)) return composeMap(state, node, range, context)
  if (isSeq(node)) {
    const items = node.items.map((item) => compose(state, toNode(item), context))
    hideSecretArguments(state.source, items)
    return { type: 'list', items, ...range }
  }
  return isScalar(node) ? composeScalar(state, node, range, context) : emptyAt(range)
}

function composeScalar(state: CompositionState, node: Scalar, range: SourceRange, context: NodeContext): YamlScalar {
  const { value } = node
  const tag =
    node.tag?.startsWith('!vault') === true ? { tag: 'vault' as const } : context.unsafe ? { tag: 'unsafe' as const } : {}
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null) {
    return { type: 'scalar', value, plain: node.type === 'PLAIN' && node.tag === undefined, ...tag, ...range }
  }
  report(state, range, 'INPUT.VALUE', 'This is neither text, a number, `true`, `false` nor empty. Put it in quotes.')
  return emptyAt(range)
}

function composeMap(state: CompositionState, node: YAMLMap, range: SourceRange, context: NodeContext): YamlMap {
  const entries = new Map<string, YamlEntry>()
  const merged: YamlNode[] = []
  for (const pair of node.items) {
    const key = readKey(state, pair, range)
    const value = pair.value === null ? emptyAt(key ?? range) : compose(state, toNode(pair.value), context)
    if (key === undefined) continue
    if (key.name === '<<' && key.plain) merged.push(value)
    else addEntry(state, entries, key, value)
  }
  for (const value of merged) mergeInto(state, entries, value)
  return { type: 'map', entries, ...range }
}

function addEntry(
  state: CompositionState,
  entries: Map<string, YamlEntry>,
  key: YamlKey & { readonly name: string },
  value: YamlNode,
): void {
  hideSecretValue(state.source, key.name, value)
  const first = entries.get(key.name)
  if (first === undefined) {
    entries.set(key.name, { key, value })
    return
  }
  const line = sourceRef(first.key).line
  report(state, key, 'INPUT.SYNTAX', `\`${key.name}\` occurs twice; the first one is on line ${line}. Keep one of them.`)
}

function readKey(state: CompositionState, pair: Pair, map: SourceRange): (YamlKey & { readonly name: string }) | undefined {
  const key = pair.key
  if (!isScalar(key)) {
    const words = 'A key must be text. Text that starts with `{`, `[` or `*` needs quotes.'
    report(state, isNode(key) ? rangeOf(state, key) : map, 'INPUT.SYNTAX', words)
    return undefined
  }
  const range = rangeOf(state, key)
  const plain = key.type === 'PLAIN'
  if (typeof key.value === 'string') return { ...range, plain, name: key.value }
  const raw = state.source.text.slice(range.start, range.end)
  report(state, range, 'INPUT.SYNTAX', `YAML does not read the key \`${raw}\` as text. Put it in quotes: \`"${raw}"\`.`)
  return undefined
}

/** YAML's merge: keys of the map itself win, then those of the first merged map. */
function mergeInto(state: CompositionState, entries: Map<string, YamlEntry>, value: YamlNode): void {
  const maps = value.type === 'list' ? value.items : [value]
  for (const map of maps) {
    if (map.type === 'map') {
      for (const [name, entry] of map.entries) if (!entries.has(name)) entries.set(name, entry)
    } else report(state, value, 'INPUT.SYNTAX', '`<<` takes an alias of a map, or a list of such aliases.')
  }
}

function resolveAlias(state: CompositionState, name: string, range: SourceRange): YamlNode {
  const target = state.anchors.get(name)
  if (target === undefined) {
    const words = state.open.has(name)
      ? `\`*${name}\` is inside the value that it refers to.`
      : `There is no \`&${name}\` above.${didYouMean(name, [...state.anchors.keys()])} A glob that starts with \`*\` needs quotes.`
    report(state, range, 'INPUT.SYNTAX', words)
    return emptyAt(range)
  }
  const tooMany = state.aliased > mostAliased
  state.count += target.size
  state.aliased += target.size
  if (state.aliased <= mostAliased) return target.node
  if (!tooMany) report(state, range, 'INPUT.SYNTAX', `The aliases of this file stand for more than ${mostAliased} values.`)
  return emptyAt(range)
}

function report(state: CompositionState, range: SourceRange, code: ErrorCode, message: string): void {
  state.mistakes.push({ range, code, message })
}

function rangeOf(state: CompositionState, node: Node): SourceRange {
  const [start, end] = node.range ?? [0, 0]
  return { source: state.source, start, end }
}

function emptyAt(range: SourceRange): YamlScalar {
  return { type: 'scalar', value: null, plain: true, source: range.source, start: range.start, end: range.end }
}

function isNode(value: unknown): value is Node {
  return isScalar(value) || isMap(value) || isSeq(value) || isAlias(value)
}

function toNode(value: unknown): Node {
  if (isNode(value)) return value
  throw new TypeError('the YAML parser gave something that is no node')
}
