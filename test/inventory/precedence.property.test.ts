import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { parseYaml } from '../../src/inventory/parse.ts'
import { readFleet } from '../../src/inventory/read-fleet.ts'
import { sourceText } from '../../src/inventory/source-text.ts'
import type { Fleet } from '../../src/model/fleet.ts'

/**
 * Random inventories against the rule in its plainest form: of everything that speaks about a host the most specific wins. The oracle
 * walks every way down from `all`; it shares nothing with the program.
 */
interface Drawn {
  readonly groups: readonly DrawnGroup[]
  readonly hosts: readonly DrawnHost[]
}

interface DrawnGroup extends Levels {
  readonly name: string
  readonly priority: number | undefined
  /** Indexes of groups further on, so that there are no circles. */
  readonly children: readonly string[]
}

interface DrawnHost extends Levels {
  readonly name: string
  readonly groups: readonly string[]
}

/** Ports of services by service name, inside the hosts file and in a file beside it; a port says where it comes from. */
interface Levels {
  readonly inline: Readonly<Record<string, number>>
  readonly file: Readonly<Record<string, number>>
}

const groupNames = ['alpha', 'beta', 'gamma', 'delta', 'epsilon']
const services = ['one', 'two', 'three']

const levels = fc.record({ inline: ports(), file: ports() })

function ports(): fc.Arbitrary<Record<string, number>> {
  return fc.dictionary(fc.constantFrom(...services), fc.integer({ min: 1, max: 65_535 }), { maxKeys: 2, noNullPrototype: true })
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  groups: fc.tuple(...groupNames.map((name, index) => drawnGroup(name, groupNames.slice(index + 1)))),
  hosts: fc.tuple(drawnHost('h1'), drawnHost('h2')),
})

function drawnGroup(name: string, later: readonly string[]): fc.Arbitrary<DrawnGroup> {
  const children = later.length === 0 ? fc.constant([]) : fc.uniqueArray(fc.constantFrom(...later), { maxLength: 2 })
  const priority = fc.option(fc.integer({ min: -2, max: 3 }), { nil: undefined })
  return fc.record({ children, priority, levels }).map((one) => ({ name, ...one, ...one.levels }))
}

function drawnHost(name: string): fc.Arbitrary<DrawnHost> {
  return fc
    .record({ groups: fc.uniqueArray(fc.constantFrom(...groupNames), { maxLength: 3 }), levels })
    .map(({ groups, levels: own }) => ({ name, groups, ...own }))
}

describe('precedence', () => {
  test('the most specific wins, service by service, and a service points to the place that names it', () => {
    fc.assert(
      fc.property(drawn, levels, (inventory, all) => {
        const files = filesOf(inventory, all)
        const fleet = readDrawn(files)
        for (const host of inventory.hosts) {
          const read = fleet.hosts.find((one) => one.name === host.name)
          const found = Object.fromEntries(read?.services.map((service) => [service.name, service.port]) ?? [])
          expect(found).toEqual(expectedPorts(inventory, all, host))
        }
        for (const service of fleet.hosts.flatMap((host) => host.services)) {
          const text = textFrom(files, service.source)
          expect(text.startsWith(`${service.name}:`)).toBe(true)
          expect(/port: (\d+)/u.exec(text)?.[1]).toBe(String(service.port))
        }
      }),
      { numRuns: 300 },
    )
  })

  test('it makes no difference whether a host speaks inside the hosts file or beside it', () => {
    fc.assert(
      fc.property(drawn, levels, (inventory, all) => {
        const hosts = inventory.hosts.map((host) => ({ ...host, inline: {}, file: { ...host.inline, ...host.file } }))
        const orders = [inventory, { ...inventory, hosts }].map((one) => portsOf(readDrawn(filesOf(one, all))))
        expect(orders[0]).toEqual(orders[1])
      }),
      { numRuns: 100 },
    )
  })
})

function portsOf(fleet: Fleet): Readonly<Record<string, unknown>> {
  return Object.fromEntries(fleet.hosts.map((host) => [host.name, new Map(host.services.map(({ name, port }) => [name, port]))]))
}

function expectedPorts(inventory: Drawn, all: Levels, host: DrawnHost): Readonly<Record<string, number>> {
  const above = inventory.groups
    .filter((group) => host.groups.some((direct) => waysDown(inventory, group.name, direct) > 0))
    .toSorted(
      (a, b) =>
        depthOf(inventory, a.name) - depthOf(inventory, b.name) ||
        (a.priority ?? 1) - (b.priority ?? 1) ||
        (a.name < b.name ? -1 : 1),
    )
  return Object.assign({}, all.inline, all.file, ...above.flatMap((group) => [group.inline, group.file]), host.inline, host.file)
}

/** How many ways lead from one group down to another; itself counts. */
function waysDown(inventory: Drawn, from: string, to: string): number {
  if (from === to) return 1
  return childrenOf(inventory, from).reduce((sum, child) => sum + waysDown(inventory, child, to), 0)
}

/** The longest way from `all`: every group without a parent is its child. */
function depthOf(inventory: Drawn, name: string): number {
  const parents = inventory.groups.filter((group) => group.children.includes(name))
  return 1 + Math.max(0, ...parents.map((parent) => depthOf(inventory, parent.name)))
}

function childrenOf(inventory: Drawn, name: string): readonly string[] {
  return inventory.groups.find((group) => group.name === name)?.children ?? []
}

const complete = { kind: 'A', model: { path: '/m/x.gguf' } }

function filesOf(inventory: Drawn, all: Levels): ReadonlyMap<string, string> {
  const groups = inventory.groups.map((group) => [
    group.name,
    {
      vars: { ...(group.priority === undefined ? {} : { ansible_group_priority: group.priority }), ...varsOf(group.inline) },
      children: Object.fromEntries(group.children.map((child) => [child, {}])),
      hosts: Object.fromEntries(
        inventory.hosts.filter((host) => host.groups.includes(group.name)).map((host) => [host.name, {}]),
      ),
    },
  ])
  const hosts = Object.fromEntries(inventory.hosts.map((host) => [host.name, varsOf(host.inline)]))
  return new Map([
    ['hosts.yaml', stringify({ all: { vars: varsOf(all.inline), hosts }, ...Object.fromEntries(groups) })],
    ['group_vars/all.yaml', stringify(varsOf(all.file))],
    ...inventory.groups.map((group) => [`group_vars/${group.name}.yaml`, stringify(varsOf(group.file))] as const),
    ...inventory.hosts.map((host) => [`host_vars/${host.name}.yaml`, stringify(varsOf(host.file))] as const),
  ])
}

function varsOf(level: Readonly<Record<string, number>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(level).map(([name, port]) => [name, { ...complete, port }])
  return entries.length === 0 ? {} : { services: Object.fromEntries(entries) }
}

function readDrawn(files: ReadonlyMap<string, string>): Fleet {
  const parsed = [...files].map(([file, text]) => ({ file, ...parseYaml(sourceText(file, text)) }))
  const vars = parsed.slice(1).map(({ file, ...rest }) => {
    const [folder, name = ''] = file.split('/')
    return { ...rest, level: folder === 'group_vars' ? ('group' as const) : ('host' as const), owner: name.replace('.yaml', '') }
  })
  const { fleet, issues } = readFleet({ path: 'drawn', folder: '', hosts: parsed.slice(0, 1), vars })
  if (fleet === undefined) throw new Error(issues.map((issue) => issue.message).join('\n'))
  return fleet
}

function textFrom(files: ReadonlyMap<string, string>, at: { file: string; line: number; column: number }): string {
  const lines = files.get(at.file)?.split('\n') ?? []
  return lines
    .slice(at.line - 1)
    .join('\n')
    .slice(at.column - 1)
}
