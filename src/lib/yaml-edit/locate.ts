import { isAlias, isMap, isNode, type Pair, visit, type YAMLMap } from 'yaml'
import { isObject } from '../json-object.ts'
import { ownMember } from '../own-member.ts'
import { isEmptyValue, keyName } from './positions.ts'
import type { EditFault, YamlFile } from './yaml-file.ts'

/** How far a path leads. */
export interface Place {
  /** The last value on the way: a mapping, or nothing (`key:`, an empty file). */
  readonly node: YAMLMap | undefined
  /** Keys of the path that do not exist below it. */
  readonly rest: readonly string[]
  /** The keys on the way to it, each with its mapping; the outermost first. */
  readonly above: readonly { readonly map: YAMLMap; readonly pair: Pair }[]
}

/** Follows a path of keys through mappings. A fault: it leads through an alias or another value, or through a key that occurs twice. */
export function locate({ document, value }: YamlFile, path: readonly string[]): Place | EditFault {
  let node: unknown = document.contents
  const above: { readonly map: YAMLMap; readonly pair: Pair }[] = []
  for (const [index, step] of path.entries()) {
    if (!isMap(node)) break
    const found = node.items.filter((pair) => keyName(pair) === step)
    const [pair] = found
    if (found.length > 1) return { why: `\`${step}\` occurs twice.` }
    if (pair === undefined) {
      const isMerged = hasKey(value, path.slice(0, index), step)
      return isMerged ? { why: `\`${step}\` comes from another mapping, by \`<<\`.` } : { node, rest: path.slice(index), above }
    }
    above.push({ map: node, pair })
    node = pair.value
  }
  if (isMap(node)) return { node, rest: [], above }
  if (isEmptyValue(node)) return { node: undefined, rest: path.slice(above.length), above }
  const name = above.length === 0 ? 'The file' : `\`${path[above.length - 1]}\``
  return {
    why: isAlias(node)
      ? `${name} is an alias (\`*${node.source}\`): what is written there would count elsewhere too.`
      : `${name} is not a mapping.`,
  }
}

/** An entry of a mapping. */
export interface FoundEntry {
  readonly outer: Place
  /** Undefined: it is missing. */
  readonly pair: Pair | undefined
}

export const noKey: EditFault = { why: 'The path of an entry has at least one key.' }

export function findEntry(file: YamlFile, path: readonly string[]): FoundEntry | EditFault {
  const name = path.at(-1)
  const outer = name === undefined ? noKey : locate(file, path.slice(0, -1))
  if ('why' in outer) return outer
  const found = outer.rest.length > 0 ? [] : (outer.node?.items.filter((pair) => keyName(pair) === name) ?? [])
  return found.length > 1 ? { why: `\`${name}\` occurs twice.` } : { outer, pair: found[0] }
}

/** Whether the value at a path is an object with this key. */
export function hasKey(value: unknown, path: readonly string[], key: string): boolean {
  const found = path.reduce<unknown>((at, step) => (isObject(at) ? ownMember(at, step) : undefined), value)
  return isObject(found) && Object.hasOwn(found, key)
}

/** A copy of the value whose object at the path is changed; objects on the way are created. */
export function changedAt(
  value: unknown,
  path: readonly string[],
  change: (members: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
): unknown {
  const members = isObject(value) ? value : {}
  const [step, ...rest] = path
  return step === undefined ? change(members) : { ...members, [step]: changedAt(ownMember(members, step), rest, change) }
}

/** The anchors and aliases in the value of an entry, as they are written: `&gpu`, `*defaults`. */
export function anchorsIn({ value }: Pair): readonly string[] {
  const found = new Set<string>()
  if (!isNode(value)) return []
  visit(value, {
    Node: (_, node) => {
      if (isAlias(node)) found.add(`*${node.source}`)
      else if (node.anchor !== undefined) found.add(`&${node.anchor}`)
    },
  })
  return [...found]
}
