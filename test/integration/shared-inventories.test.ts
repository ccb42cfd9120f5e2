import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
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
  test.each(names)('%s', async (name) => {
    const path = `${root}/${name}`
    const { fleet } = await loadInventory(path)
    const patterns = patternsFor(fleet)
    const answer = askAnsible(path, patterns)
    expect(patterns.length).toBeGreaterThan(0)
    expect(fleet.hosts.map((host) => host.name).toSorted()).toEqual(listedBy(path).toSorted())
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

function askAnsible(inventory: string, patterns: readonly string[]): Answer {
  const script = fileURLToPath(new URL('ask-ansible.py', import.meta.url))
  const input = JSON.stringify({ inventory, cases: patterns.map((hosts) => ({ hosts, limit: null })), globs: [] })
  return JSON.parse(execFileSync(python, [script], { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] }))
}

/** What `ansible-inventory` lists, the files of variables read as well. */
function listedBy(inventory: string): readonly string[] {
  const env = { ...process.env, ANSIBLE_NOCOLOR: '1', ANSIBLE_VAULT_PASSWORD_FILE: `${root}/vault-password` }
  const text = execFileSync('ansible-inventory', ['-i', inventory, '--list'], {
    encoding: 'utf8',
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const groups: Readonly<Record<string, { readonly hosts?: readonly string[] }>> = JSON.parse(text)
  return [...new Set(Object.entries(groups).flatMap(([name, group]) => (name === '_meta' ? [] : (group.hosts ?? []))))]
}
