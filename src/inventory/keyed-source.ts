import { type KeyedSource, type KeyPath, keyId, type SourceRef } from '../model/source.ts'
import { type SourceRange, sourceRef } from './source-text.ts'
import type { YamlEntry, YamlNode } from './yaml-node.ts'

/**
 * The position of each key after merging: that of its name, or the start of a list item. Every value keeps the position where it was read, so
 * merged files, aliases and `<<` do not matter here.
 */
export function keyedSource(at: SourceRange, entries: ReadonlyMap<string, YamlEntry>): KeyedSource {
  const refs = [...entries].flatMap(([name, entry]) => refsOfEntry([name], entry))
  // `fromEntries` defines members, so that a key like `__proto__` is a key like any other.
  return { ...sourceRef(at), keys: Object.fromEntries(refs) }
}

type KeyRef = readonly [id: string, range: SourceRef]

function refsOfEntry(path: KeyPath, { key, value }: YamlEntry): readonly KeyRef[] {
  return [[keyId(path), sourceRef(key)], ...refsBelow(path, value)]
}

function refsBelow(path: KeyPath, node: YamlNode): readonly KeyRef[] {
  if (node.type === 'map') return [...node.entries].flatMap(([name, entry]) => refsOfEntry([...path, name], entry))
  if (node.type !== 'list') return []
  return node.items.flatMap((item, index) => {
    const at = [...path, index]
    return [[keyId(at), sourceRef(item)] as const, ...refsBelow(at, item)]
  })
}
