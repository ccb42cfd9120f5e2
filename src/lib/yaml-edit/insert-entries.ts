import type { YAMLMap } from 'yaml'
import { insertInBlock, insertUnderKey } from './insert-in-block.ts'
import { fillFlow, flowUnderKey, insertInFlow } from './insert-in-flow.ts'
import { changedAt, hasKey, locate, type Place } from './locate.ts'
import type { BlockEntries } from './new-text.ts'
import { rangeOf } from './positions.ts'
import { type Edit, type EditFault, editYaml, type PlannedEdit, type YamlFile } from './yaml-file.ts'

type Entries = Readonly<Record<string, unknown>>
type Comment = Readonly<Record<string, readonly string[]>>

/**
 * The text of a YAML (or JSON) inventory file with new entries in the mapping at `path`, behind those that it has. Missing mappings on the way are
 * created. Every other byte stays, except that an empty value (`key: {}`, `key: null`) gives way to the entries.
 *
 * New text follows the file: its indentation, its line ends, its quotes within `{…}`. Comments below the last entry stay with it if they are
 * indented further than its key; all others stay below the new entries.
 *
 * A fault: the file is not one valid YAML document, an entry exists, or the path leads through an alias or a value that is not a mapping. Another
 * fault: the result would not be the old values and the entries, for example because an alias repeats the mapping elsewhere.
 *
 * @param comment lines to put above an entry, without `#`; left out within `{…}`, which has no place for them
 */
export function insertEntries(
  text: string,
  path: readonly string[],
  entries: Entries,
  comment: Comment = {},
): string | EditFault {
  if (Object.keys(entries).length === 0) return text
  const inserted = (hasBlocks: boolean) =>
    editYaml(text, (file) => planInsert(file, path, { within: [], entries, comment, hasBlocks }))
  const withBlocks = inserted(true)
  // A block of text that ends with empty lines would take the empty lines that follow.
  return typeof withBlocks === 'string' ? withBlocks : inserted(false)
}

function planInsert(file: YamlFile, path: readonly string[], given: BlockEntries): PlannedEdit | EditFault {
  const { entries } = given
  const existing = Object.keys(entries).find((name) => hasKey(file.value, path, name))
  if (existing !== undefined) return { why: `\`${[...path, existing].join('.')}\` already exists.` }
  const place = locate(file, path)
  if ('why' in place) return place
  return {
    edits: editsFor(file, place, { ...given, within: place.rest }),
    meant: changedAt(file.value, path, (members) => ({ ...members, ...entries })),
  }
}

function editsFor(file: YamlFile, { node, above }: Place, given: BlockEntries): readonly Edit[] {
  const parent = above.at(-1)
  const entries = given.within.reduceRight<Entries>((inner, key) => ({ [key]: inner }), given.entries)
  if (node !== undefined && node.items.length > 0)
    return node.flow === true ? insertInFlow(file, node, entries) : [insertInBlock(file, { node, above }, given)]
  if (parent?.map.flow === true) return [flowUnderKey(file, parent, entries)]
  if (node !== undefined && (parent === undefined || hasComment(file, node))) return [fillFlow(file, node, entries)]
  return insertUnderKey(file, above, given)
}

function hasComment({ text }: YamlFile, node: YAMLMap): boolean {
  return text.slice(...rangeOf(node)).includes('#')
}
