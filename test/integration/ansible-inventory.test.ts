import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { shellSplit } from '../../src/lib/shell-split.ts'
import { loadInventory } from '../../src/load/load.ts'
import type { Fleet, Host } from '../../src/model/fleet.ts'
import { fixtureCases } from '../inventory/fixture-cases.ts'

/**
 * The same files, read by Ansible itself. `services` are left out on purpose: Ansible replaces a whole variable where converge merges
 * services by name and key, which is the one thing the inventory does on top of Ansible's rules.
 */
const elsewise = new Map([
  ['older-names-of-sudo', 'holds other names of variables'],
  ['precedence-against-ansible', 'the one order that differs; converge warns of it'],
  ['variables-of-ansible', 'has other names of variables, and hosts without a connection'],
  ['warnings', 'holds everything that the two read differently; converge warns of each'],
])

const cases = [
  { name: 'inventories/home', input: 'inventories/home' },
  ...fixtureCases('inventory/valid').filter(({ name }) => !elsewise.has(name)),
]

const differing = 'test/fixtures/inventory/valid/precedence-against-ansible/inventory'

const installed = isInstalled()
const asked = installed || process.env['CI'] !== undefined
if (!asked) process.stderr.write('skipped: there is no Ansible to compare with (on Debian: apt-get install ansible-core)\n')

describe.runIf(asked)('Ansible reads the same inventory', () => {
  let printed: ReadonlyMap<string, Printed>
  beforeAll(() => {
    printed = printedByAnsible([...cases.map(({ input }) => input), differing])
  })
  const printedOf = (input: string) => printed.get(input) ?? { list: '', hosts: '' }

  test.each(cases)('$name', async ({ input }) => {
    const { fleet } = await loadInventory(input)
    const ansible = readByAnsible(printedOf(input))
    expect(fleet.hosts.map((host) => host.name)).toEqual(orderOfAnsible(printedOf(input)))
    expect(groupsOf(fleet)).toEqual(groupsOfAnsible(ansible))
    for (const host of fleet.hosts) expect(settingsOf(host)).toEqual(settingsOfAnsible(ansible, host.name))
    expect(fleet.settings.org).toBe(fleetOfAnsible(ansible)['org'] ?? 'local')
  })

  test('where the two differ, converge has said so', async () => {
    const { fleet, warnings } = await loadInventory(differing)
    const ansible = readByAnsible(printedOf(differing))
    expect(fleet.hosts[0]?.connection.user).toBe('macs-inline')
    expect(settingsOfAnsible(ansible, 'studio')['user']).toBe('all-file')
    expect(warnings.map((warning) => warning.code)).toContain('INPUT.PRECEDENCE')
  })
})

interface AnsibleGroup {
  readonly hosts?: readonly string[]
  readonly children?: readonly string[]
}

interface AnsibleInventory {
  readonly groups: Readonly<Record<string, AnsibleGroup>>
  readonly hostvars: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

function isInstalled(): boolean {
  try {
    execFileSync('ansible-inventory', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** What Ansible's own programs print of an inventory. */
interface Printed {
  /** `ansible-inventory --list` */
  readonly list: string
  /** `ansible all --list-hosts` */
  readonly hosts: string
}

/** Of all of them, in one process: most of what Ansible takes is its start. */
function printedByAnsible(inputs: readonly string[]): ReadonlyMap<string, Printed> {
  const env = {
    ...process.env,
    ANSIBLE_NOCOLOR: '1',
    ANSIBLE_VAULT_PASSWORD_FILE: 'test/fixtures/ansible-inventories/vault-password',
  }
  const program = join(import.meta.dirname, 'list-by-ansible.py')
  const stdout = execFileSync('/usr/bin/python3', [program], {
    input: JSON.stringify(inputs),
    encoding: 'utf8',
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const printed: readonly Printed[] = JSON.parse(stdout)
  return new Map(inputs.map((input, index) => [input, printed[index] ?? { list: '', hosts: '' }]))
}

function readByAnsible({ list }: Printed): AnsibleInventory {
  const { _meta, ...groups } = JSON.parse(list)
  return { groups, hostvars: _meta.hostvars }
}

function orderOfAnsible({ hosts }: Printed): readonly string[] {
  const [, ...lines] = hosts.trimEnd().split('\n')
  return lines.map((line) => line.trim())
}

/** Ansible leaves empty groups out of its answer, and the members of `all`. */
function groupsOf(fleet: Fleet): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    fleet.groups.filter((group) => group.name !== 'all' && group.hosts.length > 0).map((group) => [group.name, group.hosts]),
  )
}

function groupsOfAnsible({ groups }: AnsibleInventory): Readonly<Record<string, readonly string[]>> {
  const names = Object.keys(groups).filter((name) => name !== 'all')
  return Object.fromEntries(names.map((name) => [name, hostsOfAnsible(groups, name)]).filter(([, hosts]) => hosts?.length !== 0))
}

/** A group's own hosts, then those of its children, level by level: what Ansible's own `get_hosts` gives. */
function hostsOfAnsible(groups: Readonly<Record<string, AnsibleGroup>>, name: string): readonly string[] {
  const hosts = new Set<string>()
  for (let level = [name]; level.length > 0; level = level.flatMap((one) => groups[one]?.children ?? [])) {
    for (const one of level) for (const host of groups[one]?.hosts ?? []) hosts.add(host)
  }
  return [...hosts]
}

function settingsOf(host: Host): Readonly<Record<string, unknown>> {
  const { connection, platform, ramGb, convergeDir } = host
  const password = connection.becomePassword
  return {
    ...connection,
    becomePassword: undefined,
    platform,
    ramGb,
    convergeDir,
    vault: password !== undefined && 'vault' in password ? password.vault : undefined,
  }
}

function settingsOfAnsible({ hostvars }: AnsibleInventory, name: string): Readonly<Record<string, unknown>> {
  const vars = hostvars[name] ?? {}
  return {
    transport: vars['ansible_connection'] ?? 'ssh',
    address: vars['ansible_host'] ?? name,
    port: vars['ansible_port'],
    user: vars['ansible_user'],
    privateKeyFile: vars['ansible_ssh_private_key_file'],
    sshArgs: shellSplit(textOf(vars['ansible_ssh_common_args'])),
    become: vars['ansible_become'] ?? false,
    becomeUser: vars['ansible_become_user'] ?? 'root',
    platform: vars['platform'],
    ramGb: vars['ram_gb'],
    convergeDir: vars['converge_dir'],
    vault: vaultOf(vars['ansible_become_password']),
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Encrypted values come as `{ "__ansible_vault": … }`. */
function vaultOf(value: unknown): string | undefined {
  const [name, block] = Object.entries(value ?? {})[0] ?? []
  return name === '__ansible_vault' ? `${textOf(block).trim()}\n` : undefined
}

function fleetOfAnsible({ hostvars }: AnsibleInventory): Readonly<Record<string, unknown>> {
  const fleet = Object.values(hostvars)[0]?.['fleet']
  return typeof fleet === 'object' && fleet !== null ? { ...fleet } : {}
}
