import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { ConvergeError } from '../../src/errors/converge-error.ts'
import { linkGroups } from '../../src/inventory/group-graph.ts'
import type { RawGroup, RawHost, RawInventory } from '../../src/inventory/raw-inventory.ts'
import { resolveVars } from '../../src/inventory/resolve-vars.ts'
import { sourceText } from '../../src/inventory/source-text.ts'
import type { YamlEntry, YamlMap } from '../../src/inventory/yaml-node.ts'
import { loadInventory } from '../../src/load/load.ts'
import { whyText } from '../support/why-text.ts'

/** Generous, for a busy machine with two slow cores; on an idle one it takes three seconds. */
const longestMs = 120_000

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

describe('ten thousand hosts', () => {
  test('written out one by one', { timeout: longestMs }, async () => {
    const { fleet } = await loadInventory(writeInventory({ 'hosts.yaml': `all:\n  hosts:\n${hostLines(10_000)}` }))
    expect(fleet.hosts).toHaveLength(10_000)
    expect(fleet.hosts.every((host) => host.services.length === 1)).toBe(true)
  })

  test('as ranges in overlapping groups', { timeout: longestMs }, async () => {
    const groups = Array.from(
      { length: 20 },
      (_, index) => `    site-${index}: { hosts: { "h[${index * 500}:${index * 500 + 499}]": } }\n`,
    )
    const { fleet } = await loadInventory(
      writeInventory({
        'hosts.yaml': `all:\n  children:\n${groups.join('')}    small: { hosts: { "h[0:9999:2]": } }\n`,
        'group_vars/all.yaml':
          'fleet: { org: example }\nservices: { coder: { kind: A, port: 9990, model: { path: /m/x.gguf } } }\n',
        'group_vars/small.yaml': 'services: { coder: { threads: 4 } }\n',
      }),
    )
    expect(fleet.hosts).toHaveLength(10_000)
    expect(fleet.hosts.filter((host) => host.services[0]?.threads === 4)).toHaveLength(5000)
  })

  test('each with a file of its own', { timeout: longestMs }, async () => {
    const files = Object.fromEntries(
      Array.from({ length: 2000 }, (_, index) => [`host_vars/h${index}.yaml`, `ram_gb: ${index + 1}\n`]),
    )
    const { fleet } = await loadInventory(writeInventory({ 'hosts.yaml': 'all: { hosts: { "h[0:1999]": } }\n', ...files }))
    expect(fleet.hosts.every((host, index) => host.ramGb === index + 1)).toBe(true)
  })

  test('all with the same mistake', { timeout: longestMs }, async () => {
    const hosts = Array.from({ length: 10_000 }, (_, index) => `    mac-${index}: { services: { coder: { prot: 9990 } } }\n`)
    const path = writeInventory({ 'hosts.yaml': `all:\n  hosts:\n${hosts.join('')}` })
    const error = await loadInventory(path).catch((thrown: unknown) => thrown)
    if (!(error instanceof ConvergeError)) throw error
    expect(await whyText(error)).toContain('and 9995 more of the same')
  })
})

describe('merging', () => {
  test('takes work in proportion to the hosts', () => {
    const small = stepsToMerge(500)
    const large = stepsToMerge(5000)
    // Ten times the hosts, ten times the look-ups, and what the groups share only once.
    expect(large / small).toBeLessThan(11)
  })
})

/** How many entries of variable maps are read while hosts are merged; every host is in three of ten groups. */
function stepsToMerge(hosts: number): number {
  const steps = { count: 0 }
  const names = Array.from({ length: hosts }, (_, index) => `h${index}`)
  const groups = new Map<string, RawGroup>()
  for (const name of ['all', 'ungrouped']) groups.set(name, rawGroup(name, [], countedVars(steps, 20)))
  for (let index = 0; index < 10; index++) {
    const members = names.filter((_, host) => [0, 1, 2].some((offset) => (host + offset) % 10 === index))
    groups.set(`g${index}`, rawGroup(`g${index}`, members, countedVars(steps, 20)))
  }
  const raw: RawInventory = { groups, hosts: new Map(names.map((name) => [name, rawHost(name, countedVars(steps, 3))])) }
  const { graph } = linkGroups(raw)
  expect(resolveVars(raw, graph, names).hosts).toHaveLength(hosts)
  return steps.count
}

const source = sourceText('hosts.yaml', '')
const nowhere = { source, start: 0, end: 0 }

function countedVars(steps: { count: number }, size: number): YamlMap {
  class CountedMap extends Map<string, YamlEntry> {
    override *[Symbol.iterator]() {
      for (const entry of super.entries()) {
        steps.count += 1
        yield entry
      }
      return undefined
    }
  }
  const entry: YamlEntry = { key: { ...nowhere, plain: true }, value: { ...nowhere, type: 'scalar', value: 1, plain: true } }
  return { ...nowhere, type: 'map', entries: new CountedMap(Array.from({ length: size }, (_, index) => [`v${index}`, entry])) }
}

function rawGroup(name: string, hosts: readonly string[], vars: YamlMap): RawGroup {
  return { name, at: undefined, hosts: new Set(hosts), children: new Map(), inline: [vars], files: [], isDefined: true }
}

function rawHost(name: string, vars: YamlMap): RawHost {
  return { name, at: nowhere, port: undefined, inline: [vars], files: [] }
}

function hostLines(count: number): string {
  const lines = Array.from({ length: count }, (_, index) => {
    const services = `{ coder: { kind: A, port: 9990, model: { path: /m/x.gguf } } }`
    return `    mac-${index}:\n      ansible_host: 10.0.${Math.floor(index / 250)}.${index % 250}\n      ram_gb: 64\n      services: ${services}\n`
  })
  return lines.join('')
}

function writeInventory(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'converge-scale-'))
  folders.push(folder)
  for (const name of ['group_vars', 'host_vars']) mkdirSync(join(folder, name))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}
