import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { playHosts } from '../../src/inventory/select.ts'
import { compileGlob } from '../../src/lib/glob.ts'
import { loadInventory } from '../../src/load/load.ts'
import type { Fleet } from '../../src/model/fleet.ts'

/**
 * Inventories of the shapes that people publish: clusters, networks, homelabs, clouds. None was written for converge, and each lists the
 * hosts that Ansible lists, in its groups and in its order.
 */
const root = 'test/fixtures/ansible-inventories'
const python = '/usr/bin/python3'
const names = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

/**
 * Globs over hosts alone, with and without a position: those count in the order of the files, also where a group stands before the hosts
 * of `all`. What several levels of groups have in common comes in no certain order from Ansible (it walks a set), so that is not asked.
 */
function patternsFor({ hosts, groups }: Pick<Fleet, 'hosts' | 'groups'>): readonly string[] {
  const globs = new Set(hosts.map(({ name }) => `${name.charAt(0)}${'?'.repeat(name.length - 1)}`))
  const hostsAlone = [...globs].filter((glob) => /^\w/u.test(glob) && !groups.some(({ name }) => compileGlob(glob)(name)))
  return hostsAlone.flatMap((glob) => [glob, `${glob}[0]`, `${glob}[-1]`, `${glob}[1:2]`])
}

const asked = spawnSync(python, ['-c', 'import ansible']).status === 0 || process.env['CI'] !== undefined
if (!asked) process.stderr.write('skipped: there is no Ansible to compare with (on Debian: apt-get install ansible-core)\n')

interface Answer {
  readonly hosts: readonly string[]
  readonly groups: readonly { readonly name: string; readonly hosts: readonly string[] }[]
  readonly selected: readonly { readonly hosts?: readonly string[] }[]
}

test('there are at least twenty', () => expect(names.length).toBeGreaterThanOrEqual(20))

describe.runIf(asked)('an inventory that was written for Ansible', () => {
  let fleets: ReadonlyMap<string, Fleet>
  let answers: ReadonlyMap<string, Answer>
  let lists: ReadonlyMap<string, readonly string[]>
  beforeAll(async () => {
    const loaded = await Promise.all(names.map(async (name) => [name, (await loadInventory(`${root}/${name}`)).fleet] as const))
    fleets = new Map(loaded)
    answers = answersOfAnsible(fleets)
    lists = listsOfAnsible()
  })

  test.each(names)('%s', (name) => {
    const [fleet, answer] = [fleets.get(name), answers.get(name)]
    if (fleet === undefined || answer === undefined) throw new Error(`${name} was not read`)
    const patterns = patternsFor(fleet)
    expect(patterns.length).toBeGreaterThan(0)
    expect(fleet.hosts.map((host) => host.name).toSorted()).toEqual(lists.get(name)?.toSorted())
    expect(fleet.fileOrder ?? fleet.hosts.map((host) => host.name)).toEqual(answer.hosts)
    expect(membersOf(fleet.groups)).toEqual(membersOf(answer.groups))
    const selected = patterns.map((pattern) => selectedBy(() => playHosts(fleet, pattern, undefined)))
    expect(selected).toEqual(answer.selected.map(({ hosts }) => hosts ?? []))
  })
})

function selectedBy(select: () => readonly string[]): readonly string[] {
  try {
    return select()
  } catch {
    return []
  }
}

function membersOf(groups: Answer['groups']): ReadonlyMap<string, readonly string[]> {
  return new Map(groups.map((group) => [group.name, group.hosts.toSorted()]))
}

/** Of all of them at once: most of what Ansible takes is its start. */
function answersOfAnsible(fleets: ReadonlyMap<string, Fleet>): ReadonlyMap<string, Answer> {
  const requests = [...fleets].map(([name, fleet]) => ({
    inventory: `${root}/${name}`,
    cases: patternsFor(fleet).map((hosts) => ({ hosts, limit: null })),
    globs: [],
  }))
  const answers: readonly Answer[] = JSON.parse(runPython('ask-ansible.py', requests))
  return new Map([...fleets.keys()].flatMap((name, index) => (answers[index] === undefined ? [] : [[name, answers[index]]])))
}

/** What `ansible-inventory` lists, the files of variables read as well. */
function listsOfAnsible(): ReadonlyMap<string, readonly string[]> {
  const paths = names.map((name) => `${root}/${name}`)
  const printed: readonly { readonly list: string }[] = JSON.parse(runPython('list-by-ansible.py', paths))
  return new Map(names.map((name, index) => [name, hostsIn(printed[index]?.list ?? '')]))
}

function hostsIn(list: string): readonly string[] {
  const groups: Readonly<Record<string, { readonly hosts?: readonly string[] }>> = JSON.parse(list)
  return [...new Set(Object.entries(groups).flatMap(([name, group]) => (name === '_meta' ? [] : (group.hosts ?? []))))]
}

function runPython(script: string, input: unknown): string {
  return execFileSync(python, [fileURLToPath(new URL(script, import.meta.url))], {
    input: JSON.stringify(input),
    encoding: 'utf8',
    env: { ...process.env, ANSIBLE_NOCOLOR: '1', ANSIBLE_VAULT_PASSWORD_FILE: `${root}/vault-password` },
    stdio: ['pipe', 'pipe', 'ignore'],
    maxBuffer: 64 * 1024 ** 2,
  })
}
