import { assertNever } from '../errors/assert-never.ts'
import type { SourceRange } from './source-text.ts'

/**
 * YAML values with their positions, which merging keeps. Aliases and `<<` are resolved; an anchored node that is used twice is the same object
 * twice.
 */
export type YamlNode = YamlMap | YamlList | YamlScalar

export interface YamlMap extends SourceRange {
  readonly type: 'map'
  /** In the order of the file. Keys are always text. */
  readonly entries: ReadonlyMap<string, YamlEntry>
}

export interface YamlEntry {
  readonly key: YamlKey
  readonly value: YamlNode
}

export interface YamlKey extends SourceRange {
  readonly plain: boolean
}

export interface YamlList extends SourceRange {
  readonly type: 'list'
  readonly items: readonly YamlNode[]
}

export interface YamlScalar extends SourceRange {
  readonly type: 'scalar'
  readonly value: string | number | boolean | null
  /** Neither quoted nor a block, so its form decides its type. */
  readonly plain: boolean
  readonly tag?: 'vault' | 'unsafe'
}

/** Only the values, for the schema. */
export function plainValue(node: YamlNode): unknown {
  switch (node.type) {
    case 'scalar':
      return node.value
    case 'list':
      return node.items.map(plainValue)
    case 'map':
      return plainEntries(node.entries)
    default:
      return assertNever(node)
  }
}

/** `fromEntries` defines members, so that a key like `__proto__` is a key like any other. */
export function plainEntries(entries: ReadonlyMap<string, YamlEntry>): Record<string, unknown> {
  return Object.fromEntries([...entries].map(([name, entry]) => [name, plainValue(entry.value)]))
}

/** The entries of a map; empty for anything else. */
export function entriesOf(node: YamlNode | undefined): ReadonlyMap<string, YamlEntry> {
  return node?.type === 'map' ? node.entries : none
}

const none: ReadonlyMap<string, YamlEntry> = new Map()

export function isEmptyNode(node: YamlNode): boolean {
  return node.type === 'scalar' && node.value === null
}

/** Calls `visit` for a node and everything below it; for an anchored node, once for each use. `path` contains keys and indexes. */
export function walk(
  node: YamlNode,
  visit: (node: YamlNode, path: readonly string[]) => void,
  path: readonly string[] = [],
): void {
  visit(node, path)
  if (node.type === 'map') for (const [name, entry] of node.entries) walk(entry.value, visit, [...path, name])
  else if (node.type === 'list') for (const [index, item] of node.items.entries()) walk(item, visit, [...path, String(index)])
}
