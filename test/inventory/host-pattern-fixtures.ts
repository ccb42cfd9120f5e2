import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { Fleet, Host } from '../../src/model/fleet.ts'

export const patternFolder = new URL('../fixtures/host-patterns/', import.meta.url)

/** One line of `patterns.yaml` or `differences.yaml`; hosts are separated by blanks. */
export interface PatternCase {
  readonly hosts: string
  readonly limit?: string
  readonly selects: string
  readonly ansible: string
  readonly here: string
}

/** The cases of a table with the heading they stand under. */
export function readCases(file: 'patterns.yaml' | 'differences.yaml'): readonly (PatternCase & { readonly heading: string })[] {
  const table: Record<string, PatternCase[]> = parse(readFileSync(new URL(file, patternFolder), 'utf8'))
  return Object.entries(table).flatMap(([heading, cases]) => cases.map((one) => ({ ...one, heading })))
}

export interface NamedGroup {
  readonly name: string
  readonly hosts: readonly string[]
  readonly children: readonly string[]
}

export const fixtureNames: {
  readonly hosts: readonly string[]
  readonly groups: readonly NamedGroup[]
} = JSON.parse(readFileSync(new URL('fleet.json', patternFolder), 'utf8'))

export const fixtureFleet = fleetOf(fixtureNames.hosts, fixtureNames.groups)

/** What patterns are held against; connections do not matter to them. */
export function fleetOf(hosts: readonly string[], groups: readonly NamedGroup[]): Pick<Fleet, 'hosts' | 'groups'> {
  return { hosts: hosts.map(aHost), groups }
}

function aHost(name: string): Host {
  return {
    name,
    groups: [],
    connection: { transport: 'local', address: name, sshArgs: [], become: false, becomeUser: 'root' },
    services: [],
    source: { file: 'hosts.yaml', line: 1, column: 1, keys: {} },
  }
}

export function readLines(path: string): readonly string[] {
  return readFileSync(new URL(path, patternFolder), 'utf8').split('\n')
}

/** `ALL` stands for every host. */
export function listHosts(words: string, all: readonly string[]): readonly string[] {
  if (words === 'ALL') return all
  return words === '' ? [] : words.split(' ')
}
