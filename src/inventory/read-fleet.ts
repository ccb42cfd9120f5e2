import type { Fleet as WrittenSettings } from '../generated/inventory-file.ts'
import { validateHostsFile, validateVars } from '../generated/validators.js'
import { globMatches } from '../lib/glob.ts'
import type { Fleet } from '../model/fleet.ts'
import type { InventoryIssue } from '../model/issue.ts'
import type { SourceRef } from '../model/source.ts'
import { checkHosts, checkNames, checkPlacement } from './check-hosts.ts'
import { checkNotify } from './check-notify.ts'
import { checkValues } from './check-values.ts'
import { hostsBelow, linkGroups } from './group-graph.ts'
import { gatherFindings, hasErrors, sortIssues } from './issues.ts'
import { normalise } from './normalise.ts'
import type { ParsedFile } from './parse.ts'
import { type RawInventory, readRawInventory, type VarsFile } from './raw-inventory.ts'
import { layersOf, type MergedHost, resolveVars } from './resolve-vars.ts'
import { checkShape } from './schema.ts'
import { issueAbout, issueAt, sourceRef } from './source-text.ts'
import { entriesOf, plainValue, type YamlEntry, type YamlMap, type YamlNode } from './yaml-node.ts'

/** The files of an inventory, parsed, in the order in which they count. */
export interface InventoryFiles {
  /** As the person gave it. */
  readonly path: string
  readonly folder: string
  readonly hosts: readonly ParsedFile[]
  readonly vars: readonly VarsFile[]
}

export interface FleetReading {
  /** Undefined when one of the issues is an error. */
  readonly fleet: Fleet | undefined
  readonly issues: readonly InventoryIssue[]
}

/** Parsed files → fleet, or everything that is wrong with them: shape first, then what the files say together. */
export function readFleet(files: InventoryFiles): FleetReading {
  const ignored = variablesOfOtherTools(files)
  const shape = [
    ...[...files.hosts, ...files.vars].flatMap((file) => file.issues),
    ...files.hosts.flatMap((file) => pluginOf(file) ?? shapeOf(file, validateHostsFile, ignored)),
    ...files.vars.flatMap((file) => shapeOf(file, validateVars, ignored)),
  ]
  if (hasErrors(shape)) return { fleet: undefined, issues: sortIssues(shape) }
  const { inventory, issues: raw } = readRawInventory(files.hosts, files.vars)
  const { graph, issues: circles } = linkGroups(inventory)
  const { hosts, issues: differences } = resolveVars(inventory, graph, hostsBelow(graph, 'all'))
  const settings = settingsOf(inventory)
  const issues = sortIssues([
    ...shape,
    ...raw,
    ...circles,
    ...differences,
    ...uniqueLayers(inventory).flatMap((layer) => checkValues(layer, ignored)),
    ...checkPlacement(inventory),
    ...checkNotify(fleetList(inventory, 'notify')),
    ...checkNames(inventory),
    ...gatherFindings(checkHosts(hosts)),
    ...(hasErrors(raw) ? [] : checkFleet(files, hosts, settings)),
  ])
  if (hasErrors(issues)) return { fleet: undefined, issues }
  const [ignoredAt, notifyAt] = [placesIn(inventory, 'drift_ignore'), placesIn(inventory, 'notify')]
  return { fleet: normalise({ path: files.path, folder: files.folder, settings, graph, hosts, ignoredAt, notifyAt }), issues }
}

/** One map can be the layer of many: of every host of a range, or through an alias. */
function uniqueLayers(inventory: RawInventory): readonly YamlMap[] {
  return [...new Set(layersOf(inventory).map(({ layer }) => layer))]
}

/** What Ansible takes for the settings of a program that lists hosts. */
function pluginOf(file: ParsedFile): readonly InventoryIssue[] | undefined {
  const plugin = entriesOf(file.root).get('plugin')
  if (plugin?.value.type !== 'scalar') return undefined
  const words =
    'This file sets up an inventory plugin, which converge does not run. `ansible-inventory -i FILE --list --yaml` writes down what the plugin finds.'
  return [issueAt(plugin.key, 'error', 'INPUT.VALUE', words)]
}

function shapeOf(file: ParsedFile, validate: typeof validateVars, ignored: (name: string) => boolean): readonly InventoryIssue[] {
  // What the parser could not make sense of would only be told a second time.
  return file.root === undefined || hasErrors(file.issues) ? [] : checkShape(file.root, validate, ignored)
}

/** `fleet.ignore_vars` decides what the shape may be, so it is read before anything is checked. */
function variablesOfOtherTools(files: InventoryFiles): (name: string) => boolean {
  const all = entriesOf(files.hosts.map((file) => entriesOf(file.root).get('all')?.value).find((node) => node !== undefined))
  const layers: readonly (YamlNode | undefined)[] = [
    all.get('vars')?.value,
    ...files.vars.filter((file) => file.level === 'group' && file.owner === 'all').map((file) => file.root),
  ]
  const globs = layers.flatMap((layer) => {
    const list = entriesOf(entriesOf(layer).get('fleet')?.value).get('ignore_vars')?.value
    return list?.type === 'list' ? list.items.flatMap((item) => (item.type === 'scalar' ? String(item.value) : [])) : []
  })
  const answers = new Map<string, boolean>()
  return (name) => {
    const answer = answers.get(name) ?? globs.some((glob) => globMatches(glob, name))
    answers.set(name, answer)
    return answer
  }
}

function settingsOf(inventory: RawInventory): WrittenSettings {
  const entry = fleetEntry(inventory)
  return entry === undefined ? {} : Object.assign({}, plainValue(entry.value))
}

/** Where each entry of a list of the fleet's settings stands. */
function placesIn(inventory: RawInventory, name: string): readonly SourceRef[] {
  const list = fleetList(inventory, name)
  return list?.type === 'list' ? list.items.map(sourceRef) : []
}

function fleetList(inventory: RawInventory, name: string): YamlNode | undefined {
  return entriesOf(fleetEntry(inventory)?.value).get(name)?.value
}

function fleetEntry(inventory: RawInventory): YamlEntry | undefined {
  const all = inventory.groups.get('all')
  return [...(all?.inline ?? []), ...(all?.files ?? [])].findLast((layer) => layer.entries.has('fleet'))?.entries.get('fleet')
}

function checkFleet(files: InventoryFiles, hosts: readonly MergedHost[], settings: WrittenSettings): readonly InventoryIssue[] {
  if (hosts.length === 0) {
    const words = 'The inventory names no hosts. They stand under `hosts:` of a group: `all: { hosts: { studio: } }`.'
    return [issueAbout(files.hosts[0]?.source.file ?? files.path, 'error', 'INPUT.MISSING', words)]
  }
  const first = hosts.find((host) => host.vars.services.size > 0)
  if (settings.org !== undefined || first === undefined) return []
  const words =
    'The fleet has no `org`, so labels are `com.local.<service>`. Set `fleet: { org: … }` in group_vars/all.yaml before the first apply; changing it later renames every service.'
  return [issueAt(first.at, 'warning', 'INPUT.MISSING', words)]
}
