import type { InventoryIssue } from '../model/issue.ts'
import { olderReading } from './ambiguous-scalar.ts'
import { didYouMean } from './did-you-mean.ts'
import { expandHostName } from './expand-host-name.ts'
import type { ParsedFile } from './parse.ts'
import { issueAbout, issueAt, type SourceRange } from './source-text.ts'
import { entriesOf, isEmptyNode, type YamlEntry, type YamlKey, type YamlMap, type YamlNode } from './yaml-node.ts'

/** The content of the files before merging. Maps are in the order in which names first appear. */
export interface RawInventory {
  readonly groups: ReadonlyMap<string, RawGroup>
  readonly hosts: ReadonlyMap<string, RawHost>
}

export interface RawGroup extends VarLayers {
  readonly name: string
  /** Its first position; undefined: a group that no file names. */
  readonly at: SourceRange | undefined
  /** Direct members. */
  readonly hosts: Set<string>
  /** Direct children, each with its position. */
  readonly children: Map<string, SourceRange>
  /** It is defined, not only named in the `children` of another group. */
  isDefined: boolean
}

export interface RawHost extends VarLayers {
  readonly name: string
  readonly at: SourceRange
  /** From `name:2222`. */
  port: number | undefined
}

/** Variables of one group or host, the least specific first: those in hosts files, then those in files of their own. */
interface VarLayers {
  readonly inline: YamlMap[]
  readonly files: YamlMap[]
}

/** A file in `group_vars/` or `host_vars/`. */
export interface VarsFile extends ParsedFile {
  readonly level: 'group' | 'host'
  /** The group or host it is for. */
  readonly owner: string
}

interface InventoryBuild {
  readonly groups: Map<string, RawGroup>
  readonly hosts: Map<string, RawHost>
  readonly issues: InventoryIssue[]
}

/** Reads valid hosts files in Ansible's order, then attaches the variables files to their groups and hosts. */
export function readRawInventory(
  hostsFiles: readonly ParsedFile[],
  varsFiles: readonly VarsFile[],
): { inventory: RawInventory; issues: readonly InventoryIssue[] } {
  const build: InventoryBuild = { groups: new Map(), hosts: new Map(), issues: [] }
  const all = groupNamed(build, 'all', undefined)
  const ungrouped = groupNamed(build, 'ungrouped', undefined)
  for (const group of [all, ungrouped]) group.isDefined = true
  for (const file of hostsFiles) {
    for (const [name, entry] of entriesOf(file.root)) readGroup(build, name, entry).isDefined = true
  }
  for (const file of varsFiles) attach(build, file)
  for (const group of build.groups.values()) checkDefined(build, group)
  return { inventory: build, issues: build.issues }
}

function readGroup(build: InventoryBuild, name: string, entry: YamlEntry): RawGroup {
  warnOfOlderReading(build, entry.key)
  const group = groupNamed(build, name, entry.key)
  if (!isEmptyNode(entry.value)) group.isDefined = true
  for (const [section, { value }] of entriesOf(entry.value)) {
    if (section === 'vars') group.inline.push(...mapsOf(value))
    else if (section === 'hosts') for (const [written, host] of entriesOf(value)) readHosts(build, group, written, host)
    else if (section === 'children') {
      for (const [child, body] of entriesOf(value)) {
        readGroup(build, child, body)
        if (!group.children.has(child)) group.children.set(child, body.key)
      }
    }
  }
  return group
}

function readHosts(build: InventoryBuild, group: RawGroup, written: string, entry: YamlEntry): void {
  warnOfOlderReading(build, entry.key)
  const expanded = expandHostName(written)
  if (typeof expanded === 'string') {
    build.issues.push(issueAt(entry.key, 'error', 'INPUT.NAME', expanded))
    return
  }
  for (const name of expanded.names) {
    const host = hostNamed(build, name, entry.key)
    host.port = expanded.port ?? host.port
    host.inline.push(...mapsOf(entry.value))
    group.hosts.add(name)
  }
}

function attach(build: InventoryBuild, file: VarsFile): void {
  const owners: ReadonlyMap<string, VarLayers> = file.level === 'group' ? build.groups : build.hosts
  const owner = owners.get(file.owner)
  if (owner !== undefined) {
    if (file.root !== undefined) owner.files.push(...mapsOf(file.root))
    if (file.level === 'group') groupNamed(build, file.owner, undefined).isDefined = true
    return
  }
  const meant = didYouMean(file.owner, [...owners.keys()])
  const words = `These variables are for the ${file.level} \`${file.owner}\`, but the inventory has no such ${file.level}.${meant}`
  // Inventories may share variables folders. But variables of converge would have no effect, so that is an error.
  const isOurs = [...entriesOf(file.root).keys()].some((name) => ownVariables.has(name))
  build.issues.push(issueAbout(file.source.file, isOurs ? 'error' : 'warning', 'INPUT.REFERENCE', words))
}

const ownVariables: ReadonlySet<string> = new Set([
  'fleet',
  'services',
  'platform',
  'ram_gb',
  'converge_dir',
  'client_address',
  'sleep',
  'rotate_logs',
])

function checkDefined(build: InventoryBuild, group: RawGroup): void {
  if (group.isDefined || group.at === undefined) return
  const known = [...build.groups.values()].filter((other) => other.isDefined && other.at !== undefined).map((other) => other.name)
  const words = `The group \`${group.name}\` is named here but not defined.${didYouMean(group.name, known)} Write an empty group as \`${group.name}: {}\`.`
  build.issues.push(issueAt(group.at, 'warning', 'INPUT.REFERENCE', words))
}

function groupNamed(build: InventoryBuild, name: string, at: SourceRange | undefined): RawGroup {
  const known = build.groups.get(name)
  if (known !== undefined) return known
  const group: RawGroup = { name, at, hosts: new Set(), children: new Map(), inline: [], files: [], isDefined: false }
  build.groups.set(name, group)
  return group
}

function hostNamed(build: InventoryBuild, name: string, at: SourceRange): RawHost {
  const known = build.hosts.get(name)
  if (known !== undefined) return known
  const host: RawHost = { name, at, port: undefined, inline: [], files: [] }
  build.hosts.set(name, host)
  return host
}

function warnOfOlderReading(build: InventoryBuild, key: YamlKey): void {
  const raw = key.source.text.slice(key.start, key.end)
  const older = key.plain ? olderReading(raw) : undefined
  if (older === undefined) return
  const words = `\`${raw}\` is the name \`${raw}\` here; Ansible reads it as ${older}. Put it in quotes.`
  build.issues.push(issueAt(key, 'warning', 'INPUT.AMBIGUOUS', words))
}

function mapsOf(node: YamlNode): readonly YamlMap[] {
  return node.type === 'map' ? [node] : []
}
