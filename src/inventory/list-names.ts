import { hostsBelow, linkGroups } from './group-graph.ts'
import { hasErrors } from './issues.ts'
import { outlineOfText } from './outline-of-text.ts'
import { type ParsedFile, parseYaml } from './parse.ts'
import { readRawInventory } from './raw-inventory.ts'
import { resolveVars } from './resolve-vars.ts'
import { sourceText } from './source-text.ts'
import { entriesOf } from './yaml-node.ts'

/** The names in an inventory. */
export interface InventoryNames {
  readonly hosts: readonly { readonly name: string; readonly services: readonly string[] }[]
  /** Groups with hosts, with the number of these. */
  readonly groups: readonly { readonly name: string; readonly size: number }[]
  readonly profiles: readonly string[]
}

/** The texts of an inventory, in order of precedence. */
export interface InventoryTexts {
  readonly hosts: readonly NamedText[]
  readonly vars: readonly (NamedText & { readonly level: 'group' | 'host'; readonly owner: string })[]
}

interface NamedText {
  readonly path: string
  readonly text: string
}

/**
 * Reads the names alone, quickly, of any inventory: nothing is checked, and what is not YAML has no names. Names that converge does not accept
 * are left out, so that each can be typed as it is.
 */
export function listNames({ hosts: hostsFiles, vars }: InventoryTexts): InventoryNames {
  const varsFiles = vars.map(({ level, owner, ...file }) => ({ ...parseOutline(file), level, owner }))
  const { inventory } = readRawInventory(hostsFiles.map(parseOutline), varsFiles)
  const { graph } = linkGroups(inventory)
  const { hosts } = resolveVars(inventory, graph, hostsBelow(graph, 'all'))
  const all = inventory.groups.get('all')
  const fleet = [...(all?.inline ?? []), ...(all?.files ?? [])].findLast((layer) => layer.entries.has('fleet'))
  const profiles = entriesOf(entriesOf(fleet?.entries.get('fleet')?.value).get('profiles')?.value)
  return {
    hosts: hosts
      .filter(({ name }) => isPlain(name))
      .map(({ name, vars: merged }) => ({ name, services: [...merged.services.keys()].filter(isPlain) })),
    groups: [...graph.children.keys()]
      .filter(isPlain)
      .map((name) => ({ name, size: hostsBelow(graph, name).length }))
      .filter(({ size }) => size > 0),
    profiles: [...profiles.keys()].filter(isPlain),
  }
}

function parseOutline({ path, text }: NamedText): ParsedFile {
  const outline = outlineOfText(text)
  const parsed = parseYaml(sourceText(path, outline, 'nothing'))
  const isSound = outline === text || (parsed.root !== undefined && !hasErrors(parsed.issues))
  return isSound ? parsed : parseYaml(sourceText(path, text, 'nothing'))
}

/** Nothing that a shell, a pattern or a terminal takes for something else. A colon is part of an IPv6 address. */
function isPlain(name: string): boolean {
  return name.length <= 255 && /^[\p{L}\p{N}_:][\p{L}\p{N}_.:%-]*$/u.test(name)
}
