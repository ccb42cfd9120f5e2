import type { InventoryIssue } from '../model/issue.ts'
import type { RawGroup, RawInventory } from './raw-inventory.ts'
import { issueAt } from './source-text.ts'

/** The hierarchy of groups, without circles. */
export interface GroupGraph {
  /** Every group with its direct children, in order; the children of `all` are the groups without another parent. */
  readonly children: ReadonlyMap<string, readonly string[]>
  /** All groups above a group. */
  readonly ancestors: ReadonlyMap<string, ReadonlySet<string>>
  /** The longest path from `all`, which has depth 0. */
  readonly depth: ReadonlyMap<string, number>
  /** Direct members; hosts without a group are in `ungrouped`. */
  readonly members: ReadonlyMap<string, readonly string[]>
}

export function linkGroups(inventory: RawInventory): { graph: GroupGraph; issues: readonly InventoryIssue[] } {
  const issues: InventoryIssue[] = []
  const children = childrenWithoutCircles(inventory, issues)
  const hasParent = new Set([...children.values()].flat())
  const ofAll = children.get('all') ?? []
  const orphans = [...inventory.groups.keys()].filter((name) => name !== 'all' && !hasParent.has(name))
  // As in Ansible, `ungrouped` comes first, and groups without another parent come last.
  children.set('all', ['ungrouped', ...new Set([...ofAll, ...orphans].filter((name) => name !== 'ungrouped'))])
  const { ancestors, depth } = measure(children)
  return { graph: { children, ancestors, depth, members: membersOf(inventory) }, issues }
}

function childrenWithoutCircles(inventory: RawInventory, issues: InventoryIssue[]): Map<string, readonly string[]> {
  const children = new Map<string, readonly string[]>()
  const path: string[] = []
  const visit = (group: RawGroup): void => {
    if (children.has(group.name)) return
    path.push(group.name)
    const kept: string[] = []
    for (const [name, range] of group.children) {
      const child = inventory.groups.get(name)
      if (child === undefined) continue
      const circle = path.slice(path.indexOf(name))
      if (path.includes(name)) {
        const words = `The group \`${name}\` would contain itself: ${[...circle, name].join(' → ')}.`
        issues.push(issueAt(range, 'error', 'INPUT.CONFLICT', words))
      } else if (name === 'all') {
        issues.push(issueAt(range, 'error', 'INPUT.CONFLICT', '`all` contains every group, so it cannot be the child of one.'))
      } else {
        kept.push(name)
        visit(child)
      }
    }
    path.pop()
    children.set(group.name, kept)
  }
  for (const group of inventory.groups.values()) visit(group)
  return children
}

function measure(children: ReadonlyMap<string, readonly string[]>): Pick<GroupGraph, 'ancestors' | 'depth'> {
  const ancestors = new Map<string, Set<string>>()
  const depth = new Map<string, number>()
  for (const name of parentsFirst(children)) {
    const above = ancestors.get(name) ?? new Set()
    ancestors.set(name, above)
    const here = depth.get(name) ?? 0
    depth.set(name, here)
    for (const child of children.get(name) ?? []) {
      ancestors.set(child, new Set([...(ancestors.get(child) ?? []), ...above, name]))
      depth.set(child, Math.max(depth.get(child) ?? 0, here + 1))
    }
  }
  return { ancestors, depth }
}

function parentsFirst(children: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const order: string[] = []
  const seen = new Set<string>()
  const visit = (name: string): void => {
    if (seen.has(name)) return
    seen.add(name)
    for (const child of children.get(name) ?? []) visit(child)
    order.push(name)
  }
  visit('all')
  return order.toReversed()
}

function membersOf(inventory: RawInventory): ReadonlyMap<string, readonly string[]> {
  const grouped = new Set<string>()
  for (const group of inventory.groups.values()) {
    if (group.name !== 'all' && group.name !== 'ungrouped') for (const host of group.hosts) grouped.add(host)
  }
  const members = new Map<string, readonly string[]>()
  for (const group of inventory.groups.values()) members.set(group.name, [...group.hosts])
  const candidates = [...(members.get('ungrouped') ?? []), ...inventory.hosts.keys()]
  return members.set('ungrouped', [...new Set(candidates.filter((host) => !grouped.has(host)))])
}

/** The hosts of a group and of all groups below it, each once: its own first, then level by level. */
export function hostsBelow(graph: GroupGraph, group: string): readonly string[] {
  const hosts = new Set<string>()
  const seen = new Set([group])
  let level: readonly string[] = [group]
  while (level.length > 0) {
    const next: string[] = []
    for (const name of level) {
      for (const host of graph.members.get(name) ?? []) hosts.add(host)
      for (const child of graph.children.get(name) ?? []) {
        if (seen.has(child)) continue
        seen.add(child)
        next.push(child)
      }
    }
    level = next
  }
  return [...hosts]
}
