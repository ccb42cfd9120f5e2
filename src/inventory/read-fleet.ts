import type { Fleet as WrittenSettings } from '../generated/inventory-file.ts'
import { validateHostsFile, validateVars } from '../generated/validators.js'
import { globMatches } from '../lib/glob.ts'
import type { Fleet } from '../model/fleet.ts'
import type { InventoryIssue } from '../model/issue.ts'
import type { SourceRef } from '../model/source.ts'
import { checkHosts, checkNames, checkPlacement } from './check-hosts.ts'
import { checkNotify } from './check-notify.ts'
import { checkValues } from './check-values.ts'
import { encryptedFiles } from './encrypted-files.ts'
import { type GroupGraph, hostsBelow, linkGroups } from './group-graph.ts'
import { gatherFindings, hasErrors, sortIssues } from './issues.ts'
import { type VariableInFile, variableOf } from './locate-fault.ts'
import { misspeltServices } from './misspelt-services.ts'
import { type CheckedInventory, normalise } from './normalise.ts'
import { warnOfOthersServices } from './others-services.ts'
import type { ParsedFile } from './parse.ts'
import { type RawInventory, readRawInventory, type VarsFile } from './raw-inventory.ts'
import { layersOf, type MergedHost, resolveVars } from './resolve-vars.ts'
import { faultsOf, issueOfFault } from './schema.ts'
import { issueAbout, issueAt, sourceRef } from './source-text.ts'
import { asksForSomething, type IsUsed, isAlwaysUsed, usedVariables } from './used-variables.ts'
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

/**
 * Parsed files → fleet, or everything that is wrong with them: shape first, then what the files say together. The inventory may be
 * Ansible's own, shared with other tools: what asks nothing of converge is never wrong.
 */
export function readFleet(given: InventoryFiles): FleetReading {
  const files = withoutStrangers(given)
  const ignored = variablesOfOtherTools(files)
  const faults = faultsInFiles(files).filter(({ variable }) => variable === undefined || !ignored(variable.name))
  const structure = [
    ...[...files.hosts, ...files.vars].flatMap((file) => file.issues),
    ...files.hosts.flatMap((file) => pluginOf(file) ?? []),
    ...faults.filter(({ variable }) => variable === undefined).map(({ issue }) => issue),
  ]
  if (hasErrors(structure)) return { fleet: undefined, issues: withoutFleet(structure, faults) }
  const { inventory, issues: raw } = readRawInventory(files.hosts, files.vars)
  const { graph, issues: circles } = linkGroups(inventory)
  const { hosts, issues: differences } = resolveVars(inventory, graph, hostsBelow(graph, 'all'))
  const used = usedVariables(hosts)
  const isUsed: IsUsed = (name, entry) => !ignored(name) && used(name, entry)
  const shape = faults.filter(({ variable }) => variable !== undefined && isUsed(variable.name, variable.entry))
  const mistakes = [
    ...structure,
    ...encryptedFiles(files.vars, hosts),
    ...shape.map(({ issue }) => issue),
    ...misspeltServices(inventory, ignored),
  ]
  if (hasErrors(mistakes)) return { fleet: undefined, issues: sortIssues(mistakes) }
  const concerned = hosts.filter(asksForSomething)
  const issues = sortIssues([
    ...mistakes,
    ...raw,
    ...circles,
    ...differences,
    ...uniqueLayers(inventory).flatMap((layer) => checkValues(layer, isUsed)),
    ...(ignored('services') ? [] : uniqueLayers(inventory).flatMap(warnOfOthersServices)),
    ...checkPlacement(inventory),
    ...checkNotify(fleetList(inventory, 'notify')),
    ...checkNames(inventory),
    ...gatherFindings(checkHosts(concerned, ignored)),
    ...(hasErrors(raw) ? [] : checkFleet(files, hosts, settingsOf(inventory))),
  ])
  if (hasErrors(issues)) return { fleet: undefined, issues }
  return { fleet: normalise(checkedInventory(files, { inventory, graph, hosts })), issues }
}

/** A file of variables that is no YAML and belongs to nobody is somebody's note: nothing reads it, Ansible neither. */
function withoutStrangers(files: InventoryFiles): InventoryFiles {
  const isSound = files.hosts.every(
    (file) => !hasErrors(file.issues) && faultsIn(file, validateHostsFile, true).every(({ variable }) => variable !== undefined),
  )
  if (!isSound) return files
  const { inventory } = readRawInventory(files.hosts, [])
  const owners = { group: inventory.groups, host: inventory.hosts }
  return {
    ...files,
    vars: files.vars.filter(
      (file) => owners[file.level].has(file.owner) || (file.root?.type === 'map' && !hasErrors(file.issues)),
    ),
  }
}

/** Something that the schema finds, and in which variable; undefined: in the shape of the inventory itself. */
interface FaultInFile {
  readonly issue: InventoryIssue
  readonly variable: VariableInFile | undefined
}

function faultsInFiles({ hosts, vars }: InventoryFiles): readonly FaultInFile[] {
  return [
    ...hosts.flatMap((file) => (pluginOf(file) === undefined ? faultsIn(file, validateHostsFile, true) : [])),
    // A file to which many links lead is looked at once.
    ...[...new Map(vars.map((file) => [file.root, file])).values()].flatMap((file) => faultsIn(file, validateVars, false)),
  ]
}

function faultsIn(file: ParsedFile, validate: typeof validateVars, isHostsFile: boolean): readonly FaultInFile[] {
  const { root } = file
  // What the parser could not make sense of would only be told a second time.
  if (root === undefined || hasErrors(file.issues)) return []
  return faultsOf(root, validate).map((fault) => ({
    issue: issueOfFault(root, fault),
    variable: variableOf(root, fault, isHostsFile),
  }))
}

/** Whose variables count is not known while the groups cannot be read; what is wrong anyway is told with it. */
function withoutFleet(structure: readonly InventoryIssue[], faults: readonly FaultInFile[]): readonly InventoryIssue[] {
  const certain = faults.filter(({ variable }) => variable !== undefined && isAlwaysUsed(variable.name, variable.entry))
  return sortIssues([...structure, ...certain.map(({ issue }) => issue)])
}

function checkedInventory(
  { path, folder }: InventoryFiles,
  { inventory, ...read }: { inventory: RawInventory; graph: GroupGraph; hosts: readonly MergedHost[] },
): CheckedInventory {
  return {
    path,
    folder,
    ...read,
    fileOrder: [...inventory.hosts.keys()],
    settings: settingsOf(inventory),
    settingsAt: fleetEntry(inventory),
    ignoredAt: refsIn(inventory, 'drift_ignore'),
    notifyAt: refsIn(inventory, 'notify'),
  }
}

function settingsOf(inventory: RawInventory): WrittenSettings {
  const entry = fleetEntry(inventory)
  return entry === undefined ? {} : Object.assign({}, plainValue(entry.value))
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

/** Where each entry of a list of the fleet's settings stands. */
function refsIn(inventory: RawInventory, name: string): readonly SourceRef[] {
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
