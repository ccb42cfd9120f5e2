import type { InventoryIssue } from '../model/issue.ts'
import type { GroupGraph } from './group-graph.ts'
import { type MergedVars, mergeLayers, noVars } from './merge.ts'
import type { RawGroup, RawHost, RawInventory } from './raw-inventory.ts'
import { issueAt, type SourceRange, sourceRef } from './source-text.ts'
import { plainValue, type YamlEntry, type YamlMap } from './yaml-node.ts'

/** A host with the merged variables of its groups and its own. */
export interface MergedHost {
  readonly name: string
  readonly at: SourceRange
  /** All of them, `all` first, the most specific last. */
  readonly groups: readonly string[]
  readonly vars: MergedVars
  /** From `name:2222`; used if the host itself sets no `ansible_port`. */
  readonly port: number | undefined
}

/**
 * Precedence as in Ansible: `all`, then groups by depth, priority and name, then the host. For each of them, hosts files come before variables files.
 * Variables of groups are merged once for all hosts that share them.
 */
export function resolveVars(
  inventory: RawInventory,
  graph: GroupGraph,
  order: readonly string[],
): { hosts: readonly MergedHost[]; issues: readonly InventoryIssue[] } {
  const direct = groupsOfHosts(graph)
  const shared = new Map<string, SharedVars>()
  const issues = new Map<string, InventoryIssue>()
  const hosts = order.flatMap((name) => {
    const host = inventory.hosts.get(name)
    if (host === undefined) return []
    const inGroups = direct.get(name) ?? []
    const id = inGroups.join('\0')
    const fromGroups = shared.get(id) ?? shareVars(inventory, graph, inGroups, issues)
    shared.set(id, fromGroups)
    return [mergeHost(host, fromGroups)]
  })
  return { hosts, issues: [...issues.values()] }
}

interface SharedVars {
  readonly groups: readonly string[]
  readonly vars: MergedVars
}

function mergeHost(host: RawHost, { groups, vars }: SharedVars): MergedHost {
  const layers = [...host.inline, ...host.files]
  const setsPort = layers.some(({ entries }) => entries.has('ansible_port') || entries.has('ansible_ssh_port'))
  const port = setsPort ? undefined : host.port
  return { name: host.name, at: host.at, groups, vars: mergeLayers(vars, layers), port }
}

function groupsOfHosts(graph: GroupGraph): ReadonlyMap<string, readonly string[]> {
  const direct = new Map<string, string[]>()
  for (const [group, members] of graph.members) {
    for (const host of members) {
      const groups = direct.get(host)
      if (groups === undefined) direct.set(host, [group])
      else groups.push(group)
    }
  }
  return direct
}

function shareVars(
  inventory: RawInventory,
  graph: GroupGraph,
  direct: readonly string[],
  issues: Map<string, InventoryIssue>,
): SharedVars {
  const names = new Set(['all', ...direct, ...direct.flatMap((name) => [...(graph.ancestors.get(name) ?? [])])])
  const groups = [...names].flatMap((name) => inventory.groups.get(name) ?? []).toSorted(bySpecificity(graph))
  const vars = mergeLayers(
    noVars,
    groups.flatMap((group) => [...group.inline, ...group.files]),
  )
  for (const issue of differencesFromAnsible(groups, vars))
    issues.set(`${issue.at.file}:${issue.at.line}:${issue.at.column}`, issue)
  return { groups: groups.map((group) => group.name), vars }
}

function bySpecificity(graph: GroupGraph): (a: RawGroup, b: RawGroup) => number {
  const depth = (group: RawGroup) => graph.depth.get(group.name) ?? 0
  return (a, b) => depth(a) - depth(b) || priorityOf(a) - priorityOf(b) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
}

/** As in Ansible, it counts only in hosts files. */
function priorityOf(group: RawGroup): number {
  const value = group.inline
    .findLast((layer) => layer.entries.has('ansible_group_priority'))
    ?.entries.get('ansible_group_priority')?.value
  const priority = value?.type === 'scalar' && value.value !== null ? Number(value.value) : 1
  return Number.isInteger(priority) ? priority : 1
}

/** In Ansible, all files in `group_vars/` override all group variables in hosts files. Warns where that changes a value. */
function differencesFromAnsible(groups: readonly RawGroup[], ours: MergedVars): readonly InventoryIssue[] {
  if (!groups.some((group) => group.inline.length > 0) || !groups.some((group) => group.files.length > 0)) return []
  const inline = groups.flatMap((group) => group.inline)
  const files = groups.flatMap((group) => group.files)
  const theirs = new Map(valuesOf(mergeLayers(noVars, [...inline, ...files])))
  return valuesOf(ours).flatMap(([id, entry]) => {
    const other = theirs.get(id)
    if (other === undefined || isSame(entry, other)) return []
    const { file, line } = sourceRef(other.key)
    const words = `This wins in converge, because the group is more specific; in Ansible ${file}:${line} wins, because it is a file. Move it to the group's own file in group_vars/, and both agree.`
    return [issueAt(entry.key, 'warning', 'INPUT.PRECEDENCE', words)]
  })
}

function valuesOf(vars: MergedVars): readonly (readonly [string, YamlEntry])[] {
  const ofServices = [...vars.services].flatMap(([service, { fields }]) =>
    [...fields].map(([field, entry]) => [`services/${service}/${field}`, entry] as const),
  )
  return [...vars.values, ...ofServices]
}

function isSame(a: YamlEntry, b: YamlEntry): boolean {
  return a === b || JSON.stringify(plainValue(a.value)) === JSON.stringify(plainValue(b.value))
}

/** Every layer with its group or host. */
export function layersOf(
  inventory: RawInventory,
): readonly { readonly owner: RawGroup | RawHost; readonly layer: YamlMap; readonly isFile: boolean }[] {
  return [...inventory.groups.values(), ...inventory.hosts.values()].flatMap((owner) => [
    ...owner.inline.map((layer) => ({ owner, layer, isFile: false })),
    ...owner.files.map((layer) => ({ owner, layer, isFile: true })),
  ])
}
