import { joinPaths, nameOfPath } from '../lib/posix-path.ts'
import { insertEntries } from '../lib/yaml-edit/insert-entries.ts'
import type { EditFault } from '../lib/yaml-edit/yaml-file.ts'
import type { FileEdit } from '../model/file-edit.ts'
import { expandHostName } from './expand-host-name.ts'
import { hostsBelow, linkGroups } from './group-graph.ts'
import { isOthersServices } from './others-services.ts'
import type { ParsedFile } from './parse.ts'
import { type RawInventory, readRawInventory, type VarsFile } from './raw-inventory.ts'
import type { InventoryFiles } from './read-fleet.ts'
import { type MergedHost, resolveVars } from './resolve-vars.ts'
import { type SourceRange, sourceRef } from './source-text.ts'
import { entriesOf, type YamlNode } from './yaml-node.ts'

/** The files of an inventory that can be edited. */
export interface EditableInventory extends InventoryFiles {
  /** Folders of variables in `host_vars/`, also empty ones, by host. */
  readonly hostFolders: ReadonlyMap<string, string>
}

/** New services of a host, as they are written. */
export interface NewServices {
  readonly host: string
  readonly services: Readonly<Record<string, unknown>>
  /** By service: lines to put above it, without `#`. */
  readonly comment?: Readonly<Record<string, readonly string[]>>
}

/**
 * The edits that add services to hosts. For each host they go to the first of these:
 *
 * 1. where the host itself already has `services:`, the most specific place first: its files in `host_vars/`, its entry in a hosts file
 * 2. its file in `host_vars/`; in a folder of its own, a file called `services`, which is created if it is missing
 * 3. a new file in `host_vars/`, which converge reads beside a folder and beside a single file
 *
 * A place that is not the host's alone is passed over: an entry for a range of hosts, a file that links make the file of several hosts, an alias.
 *
 * A fault: no such host, a service that the host has already, no place, a file encrypted with Ansible Vault that applies to the host, or
 * `services` of another tool, which those of converge would replace.
 */
export function placeServices(inventory: EditableInventory, wanted: readonly NewServices[]): readonly FileEdit[] | EditFault {
  const { inventory: raw } = readRawInventory(inventory.hosts, inventory.vars)
  const { graph } = linkGroups(raw)
  const merged = new Map(resolveVars(raw, graph, hostsBelow(graph, 'all')).hosts.map((host) => [host.name, host]))
  const edits = new Map<string, FileEdit>()
  for (const one of wanted) {
    const host = merged.get(one.host)
    if (host === undefined) return { why: `The inventory has no host \`${one.host}\`.` }
    const fault = obstacle(inventory, raw, host, one) ?? placeOne(inventory, one, edits)
    if (fault !== undefined) return fault
  }
  return [...edits.values()]
}

function obstacle(
  { vars }: EditableInventory,
  raw: RawInventory,
  { name, groups, vars: merged }: MergedHost,
  { services }: NewServices,
): EditFault | undefined {
  const encrypted = vars.find(
    ({ isEncrypted, level, owner }) => isEncrypted === true && (level === 'host' ? owner === name : groups.includes(owner)),
  )
  if (encrypted !== undefined)
    return { why: `${encrypted.source.file} applies to \`${name}\` and is encrypted as a whole with Ansible Vault.` }
  const twice = Object.keys(services).find((service) => merged.services.has(service))
  const there = twice === undefined ? undefined : merged.services.get(twice)
  if (there !== undefined) return { why: `\`${name}\` already has the service \`${twice}\`: ${lineOf(there.key)}.` }
  const owners = [...groups.map((group) => raw.groups.get(group)), raw.hosts.get(name)]
  const entries = owners.flatMap((owner) => [...(owner?.inline ?? []), ...(owner?.files ?? [])]).map((layer) => layer.entries)
  const others = entries
    .map((layer) => layer.get('services'))
    .find((entry) => entry !== undefined && isOthersServices(entry.value))
  return others === undefined
    ? undefined
    : { why: `${lineOf(others.key)}: these \`services\` of \`${name}\` are of another tool.` }
}

function lineOf(range: SourceRange): string {
  const { file, line } = sourceRef(range)
  return `${file}:${line}`
}

/** Adds to `edits`, on top of those of other hosts. */
function placeOne(
  inventory: EditableInventory,
  { host, services, comment }: NewServices,
  edits: Map<string, FileEdit>,
): EditFault | undefined {
  let first: EditFault | undefined
  for (const place of placesFor(inventory, host)) {
    if ('why' in place) {
      first ??= place
      continue
    }
    const { file, before, path } = place
    const text = edits.get(file)?.after ?? before ?? ''
    const after = insertEntries(text, [...path, 'services'], services, comment)
    if (typeof after === 'string') {
      edits.set(file, { file, before, after })
      return undefined
    }
    first ??= { why: `${file}: ${after.why}` }
  }
  return first ?? { why: `There is no place for services of \`${host}\`.` }
}

/** A mapping of variables of one host. */
interface Place {
  readonly file: string
  readonly before: string | null
  readonly path: readonly string[]
}

function placesFor(inventory: EditableInventory, host: string): readonly (Place | EditFault)[] {
  const own = inventory.vars.filter(({ level, owner }) => level === 'host' && owner === host).toReversed()
  const files = own.map((file) => ({ value: file.root, place: placeIn(inventory, file) }))
  const inline = inventory.hosts
    .flatMap((file) => entriesFor(file, host))
    .toReversed()
    .map(({ file, path, value }) => ({ value, place: { file: file.source.file, before: fullText(file), path } }))
  const withServices = [...files, ...inline].filter(({ value }) => entriesOf(value).has('services'))
  return [...withServices.map(({ place }) => place), ...ownPlaces(inventory, host, own)]
}

/** A file of variables, unless a link makes it the file of another host or group too. */
function placeIn({ vars }: EditableInventory, file: VarsFile): Place | EditFault {
  // Links to one file share what was parsed of it.
  const other = vars.find(
    ({ source, level, owner }) => source.lineStarts === file.source.lineStarts && (level !== file.level || owner !== file.owner),
  )
  if (other !== undefined) return { why: `${file.source.file} is also a file of the ${other.level} \`${other.owner}\`.` }
  return { file: file.source.file, before: fullText(file), path: [] }
}

function ownPlaces(inventory: EditableInventory, host: string, own: readonly VarsFile[]): readonly (Place | EditFault)[] {
  const folder = inventory.hostFolders.get(host)
  const ending = endingOf(inventory)
  if (folder === undefined && own.length === 0)
    return [newFile(joinPaths(inventory.folder, `host_vars/${host}${ending}`).replace(/^\.\//u, ''))]
  if (folder === undefined) return own.map((file) => placeIn(inventory, file))
  const shared = own.map((file) => placeIn(inventory, file)).filter((place) => 'why' in place)
  const called = own.filter(({ source }) => /^services(?:\.|$)/u.test(nameOfPath(source.file)))
  if (called.length > 0) return called.map((file) => placeIn(inventory, file))
  return shared.length > 0 ? shared : [newFile(joinPaths(folder, `services${ending}`))]
}

function newFile(file: string): Place {
  return { file, before: null, path: [] }
}

/** As other files of hosts end. */
function endingOf({ vars }: EditableInventory): '.yaml' | '.yml' {
  const names = vars.filter(({ level }) => level === 'host').map(({ source }) => source.file)
  return names.some((name) => name.endsWith('.yml')) && !names.some((name) => name.endsWith('.yaml')) ? '.yml' : '.yaml'
}

interface HostEntry {
  readonly file: ParsedFile
  readonly path: readonly string[]
  readonly value: YamlNode
}

/** Entries for this host alone, in the order of the file. */
function entriesFor(file: ParsedFile, host: string): readonly HostEntry[] {
  const inGroups = (groups: YamlNode | undefined, path: readonly string[]): readonly HostEntry[] =>
    [...entriesOf(groups)].flatMap(([group, { value }]) => [
      ...[...entriesOf(entriesOf(value).get('hosts')?.value)]
        .filter(([written]) => isOnly(written, host))
        .map(([written, entry]) => ({ file, path: [...path, group, 'hosts', written], value: entry.value })),
      ...inGroups(entriesOf(value).get('children')?.value, [...path, group, 'children']),
    ])
  return inGroups(file.root, [])
}

function isOnly(written: string, host: string): boolean {
  if (!written.includes(host)) return false
  const expanded = expandHostName(written)
  return typeof expanded !== 'string' && expanded.names.length === 1 && expanded.names[0] === host
}

function fullText({ source }: ParsedFile): string {
  return source.hasMark === true ? `\uFEFF${source.text}` : source.text
}
