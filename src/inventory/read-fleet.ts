import type { Fleet as WrittenSettings } from '../generated/inventory-file.ts'
import { validateHostsFile, validateVars } from '../generated/validators.js'
import { globMatches } from '../lib/glob.ts'
import { oncePerObject } from '../lib/once-per-object.ts'
import type { Fleet } from '../model/fleet.ts'
import type { InventoryIssue } from '../model/issue.ts'
import type { SourceRef } from '../model/source.ts'
import { checkEndpoints } from './check-endpoints.ts'
import { checkHosts, checkNames, checkPlacement } from './check-hosts.ts'
import { checkNotify } from './check-notify.ts'
import { checkValues } from './check-values.ts'
import { defaultSettings } from './defaults.ts'
import { encryptedFiles } from './encrypted-files.ts'
import { type GroupGraph, hostsBelow, linkGroups } from './group-graph.ts'
import { gatherFindings, hasErrors, sortIssues } from './issues.ts'
import { type VariableInFile, variableOf } from './locate-fault.ts'
import { misspeltServices } from './misspelt-services.ts'
import { type CheckedInventory, normalise } from './normalise.ts'
import { warnOfOthersServices } from './others-services.ts'
import type { ParsedFile } from './parse.ts'
import { type RawInventory, readRawInventory, type VarsFile } from './raw-inventory.ts'
import { readProfiles } from './read-profiles.ts'
import { layersOf, type MergedHost, resolveVars } from './resolve-vars.ts'
import { faultsOf, issueOfFault } from './schema.ts'
import { issueAbout, issueAt, sourceRef } from './source-text.ts'
import { type IsUsed, isAlwaysUsed, isManaged, usedVariables } from './used-variables.ts'
import { entriesOf, plainValue, type YamlEntry, type YamlMap, type YamlNode } from './yaml-node.ts'

/** The parsed files of an inventory, in order of precedence. */
export interface InventoryFiles {
  /** As given on the command line. */
  readonly path: string
  readonly folder: string
  readonly hosts: readonly ParsedFile[]
  readonly vars: readonly VarsFile[]
}

export interface FleetReading {
  /** Undefined if one of the issues is an error. */
  readonly fleet: Fleet | undefined
  readonly issues: readonly InventoryIssue[]
}

/**
 * Parsed files → fleet, or all their issues: first the shape, then the content. The inventory may be shared with Ansible and other tools: what does
 * not concern converge is never an error.
 */
export function readFleet(given: InventoryFiles): FleetReading {
  const files = withoutNotes(given)
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
  const concerned = hosts.filter(isManaged)
  const issues = sortIssues([
    ...mistakes,
    ...raw,
    ...circles,
    ...differences,
    ...uniqueLayers(inventory).flatMap((layer) => checkValues(layer, isUsed)),
    ...(ignored('services') ? [] : uniqueLayers(inventory).flatMap(warnOfOthersServices)),
    ...checkPlacement(inventory),
    ...checkLists(inventory),
    ...checkNames(inventory),
    ...gatherFindings(checkHosts(concerned, { org: settingsOf(inventory).org ?? defaultSettings.org, ignored })),
    ...(hasErrors(raw) ? [] : checkFleet(files, hosts, settingsOf(inventory))),
  ])
  if (hasErrors(issues)) return { fleet: undefined, issues }
  return withProfiles(inventory, normalise(checkedInventory(files, { inventory, graph, hosts })), issues)
}

function withProfiles(inventory: RawInventory, fleet: Fleet, issues: readonly InventoryIssue[]): FleetReading {
  const { profiles, issues: misnamed } = readProfiles(fleetValue(inventory, 'profiles'), fleet)
  if (misnamed.length > 0) return { fleet: undefined, issues: sortIssues([...issues, ...misnamed]) }
  return { fleet: profiles.length === 0 ? fleet : { ...fleet, profiles }, issues }
}

/** The lists among the settings of the fleet. */
function checkLists(inventory: RawInventory): readonly InventoryIssue[] {
  return [
    ...checkNotify(fleetValue(inventory, 'notify')),
    ...checkEndpoints(fleetValue(inventory, 'endpoints'), [...inventory.hosts.keys()]),
  ]
}

/** Without variables files that are not YAML and belong to no group or host: these are notes, which Ansible does not read either. */
function withoutNotes(files: InventoryFiles): InventoryFiles {
  const isSound = files.hosts.every(
    (file) => !hasErrors(file.issues) && faultsInHosts(file).every(({ variable }) => variable !== undefined),
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

/** A schema issue and its variable; undefined: it is in the structure of the inventory. */
interface FaultInFile {
  readonly issue: InventoryIssue
  readonly variable: VariableInFile | undefined
}

function faultsInFiles({ hosts, vars }: InventoryFiles): readonly FaultInFile[] {
  return [
    ...hosts.flatMap((file) => (pluginOf(file) === undefined ? faultsInHosts(file) : [])),
    // A file with several links to it is checked once.
    ...[...new Map(vars.map((file) => [file.root, file])).values()].flatMap((file) => faultsIn(file, validateVars, false)),
  ]
}

const faultsInHosts = oncePerObject((file: ParsedFile) => faultsIn(file, validateHostsFile, true))

function faultsIn(file: ParsedFile, validate: typeof validateVars, isHostsFile: boolean): readonly FaultInFile[] {
  const { root } = file
  // Parser errors would only be reported twice.
  if (root === undefined || hasErrors(file.issues)) return []
  return faultsOf(root, validate).map((fault) => ({
    issue: issueOfFault(root, fault),
    variable: variableOf(root, fault, isHostsFile),
  }))
}

/** If the groups cannot be read, which variables are used is unknown. Faults in variables that are always used are reported too. */
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

/** Several owners may share one map: the hosts of a range, or through an alias. */
function uniqueLayers(inventory: RawInventory): readonly YamlMap[] {
  return [...new Set(layersOf(inventory).map(({ layer }) => layer))]
}

/** Whether Ansible would read the file as the configuration of an inventory plugin. */
function pluginOf(file: ParsedFile): readonly InventoryIssue[] | undefined {
  const plugin = entriesOf(file.root).get('plugin')
  if (plugin?.value.type !== 'scalar') return undefined
  const words =
    'This file configures an inventory plugin, which converge does not run. `ansible-inventory -i FILE --list --yaml` writes what the plugin finds.'
  return [issueAt(plugin.key, 'error', 'INPUT.VALUE', words)]
}

/** `fleet.ignore_vars` affects the shape check, so it is read first. */
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

/** The position of each entry of a list in the fleet settings. */
function refsIn(inventory: RawInventory, name: string): readonly SourceRef[] {
  const list = fleetValue(inventory, name)
  return list?.type === 'list' ? list.items.map(sourceRef) : []
}

function fleetValue(inventory: RawInventory, name: string): YamlNode | undefined {
  return entriesOf(fleetEntry(inventory)?.value).get(name)?.value
}

function fleetEntry(inventory: RawInventory): YamlEntry | undefined {
  const all = inventory.groups.get('all')
  return [...(all?.inline ?? []), ...(all?.files ?? [])].findLast((layer) => layer.entries.has('fleet'))?.entries.get('fleet')
}

function checkFleet(files: InventoryFiles, hosts: readonly MergedHost[], settings: WrittenSettings): readonly InventoryIssue[] {
  if (hosts.length === 0) {
    const words = 'The inventory has no hosts. List them under `hosts:` of a group: `all: { hosts: { studio: } }`.'
    return [issueAbout(files.hosts[0]?.source.file ?? files.path, 'error', 'INPUT.MISSING', words)]
  }
  const first = hosts.find((host) => host.vars.services.size > 0)
  if (settings.org !== undefined || first === undefined) return []
  const words =
    'The fleet has no `org`, so labels are `com.local.<service>`. Set `fleet: { org: … }` in group_vars/all.yaml before the first apply; changing it later renames every service.'
  return [issueAt(first.at, 'warning', 'INPUT.MISSING', words)]
}
