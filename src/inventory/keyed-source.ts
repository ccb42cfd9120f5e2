import { type KeyedSource, type KeyPath, keyId, type SourceRef } from '../model/source.ts'
import { type Place, sourceRef } from './source-text.ts'
import type { YamlEntry, YamlNode } from './yaml-node.ts'

/**
 * The place of each key after merging: a key where its name stands, an item of a list where it begins. Every value remembers where it
 * was read, so neither the files it was merged from nor aliases and `<<` matter here.
 */
export function keyedSource(at: Place, entries: ReadonlyMap<string, YamlEntry>): KeyedSource {
  const places = [...entries].flatMap(([name, entry]) => placesOfEntry([name], entry))
  // `fromEntries` defines members, so that a key like `__proto__` is a key like any other.
  return { ...sourceRef(at), keys: Object.fromEntries(places) }
}

type KeyPlace = readonly [id: string, place: SourceRef]

function placesOfEntry(path: KeyPath, { key, value }: YamlEntry): readonly KeyPlace[] {
  return [[keyId(path), sourceRef(key)], ...placesBelow(path, value)]
}

function placesBelow(path: KeyPath, node: YamlNode): readonly KeyPlace[] {
  if (node.type === 'map') return [...node.entries].flatMap(([name, entry]) => placesOfEntry([...path, name], entry))
  if (node.type !== 'list') return []
  return node.items.flatMap((item, index) => {
    const at = [...path, index]
    return [[keyId(at), sourceRef(item)] as const, ...placesBelow(at, item)]
  })
}
