import type { YamlKey, YamlNode } from './yaml-node.ts'

/** A value of a file, with its key and name. */
export interface LocatedValue {
  readonly node: YamlNode
  /** The key in front of it; absent for items of lists and for the whole file. */
  readonly key?: YamlKey
  /** How messages call it. */
  readonly name: string
}

/** Follows keys and indexes as far as they exist. */
export function findValue(root: YamlNode, path: readonly string[]): LocatedValue {
  let found: LocatedValue = { node: root, name: 'The file' }
  for (const step of path) found = below(found, step) ?? found
  return found
}

function below(found: LocatedValue, step: string): LocatedValue | undefined {
  if (found.node.type === 'map') {
    const entry = found.node.entries.get(step)
    return entry === undefined ? undefined : { node: entry.value, key: entry.key, name: `\`${step}\`` }
  }
  const item = found.node.type === 'list' ? found.node.items[Number(step)] : undefined
  return item === undefined ? undefined : { node: item, name: `Item ${Number(step) + 1} of ${found.name}` }
}
