import { defined } from '../lib/defined.ts'
import { managers } from '../managers/index.ts'
import { hasField } from '../managers/traits.ts'
import type { InventoryIssue } from '../model/issue.ts'
import { checkAnsible } from './check-ansible.ts'
import { checkService, managerOf } from './check-service.ts'
import { checkSettings } from './check-settings.ts'
import type { HostFinding } from './issues.ts'
import { withSuffix } from './normalise-service.ts'
import type { RawInventory } from './raw-inventory.ts'
import { layersOf, type MergedHost } from './resolve-vars.ts'
import { issueAt } from './source-text.ts'
import { faultOfSshArguments, settingsOfSshArguments, variablesOfSsh } from './ssh-arguments.ts'
import { namesOf, type WrittenHost, writtenHost, writtenService } from './written-host.ts'

/** Checks merged hosts and their services; `ignored` are the variables of other tools. */
export function checkHosts(
  hosts: readonly MergedHost[],
  { org, ignored }: { readonly org: string; readonly ignored: (name: string) => boolean },
): readonly HostFinding[] {
  const written = hosts.map((host) => ({ host, vars: writtenHost(host) }))
  return [
    ...written.flatMap(({ host, vars }) => [...checkHost(host, vars, org), ...checkAnsible(host, vars, ignored)]),
    ...checkMachines(written),
  ]
}

function checkHost(host: MergedHost, vars: WrittenHost, org: string): readonly HostFinding[] {
  const services = [...host.vars.services].flatMap(([name, merged]) =>
    checkService({ host: host.name, name, merged, platform: vars.platform, written: writtenService(merged) }),
  )
  return [
    ...services,
    ...checkServiceNames(host),
    ...checkSupervisedNames(host, vars, org),
    ...checkSharedFiles(host),
    ...checkSshArguments(host, vars),
    ...checkSetTwice(host, vars),
    ...checkBecome(host, vars),
    ...checkSettings(host, vars),
  ]
}

/** Compose projects allow fewer characters than services, so similar names become equal. */
function checkServiceNames(host: MergedHost): readonly HostFinding[] {
  const taken = new Map<string, string>()
  return [...host.vars.services].flatMap(([name, { key }]) => {
    const flat = name.replaceAll(/[._]/gu, '-')
    const other = taken.get(flat)
    taken.set(flat, other ?? name)
    if (other === undefined) return []
    const words = (whom: string) =>
      `\`${name}\` and \`${other}\` of ${whom} differ only in \`.\`, \`_\` and \`-\`, so their containers would have the same name.`
    return [{ host: host.name, range: key, severity: 'error', code: 'INPUT.CONFLICT', words }]
  })
}

/** Two services of one unit or agent: at least one of them was given that name. */
function checkSupervisedNames(host: MergedHost, { platform }: WrittenHost, org: string): readonly HostFinding[] {
  const services = [...host.vars.services].flatMap(([name, merged]) => {
    const written = writtenService(merged)
    const manager = managerOf({ written, platform })
    if (manager === undefined) return []
    const { label } = written
    const unit = written.unit === undefined ? undefined : withSuffix(written.unit)
    const { container, file, file_service: fileService, project } = written
    const own = defined({ unit, label, container, file, fileService, project })
    return [{ name, merged, manager, called: managers[manager].nameOf({ name, ...own }, org) }]
  })
  return services.flatMap(({ name, merged, manager, called }, index) => {
    const other = services.find((one, at) => one.manager === manager && one.called === called && at !== index)
    const field = (['unit', 'label', 'container'] as const).find((one) => hasField(manager, one))
    const named = field === undefined ? undefined : merged.fields.get(field)
    if (other === undefined || field === undefined || named === undefined) return []
    const words = (whom: string) => `\`${name}\` and \`${other.name}\` of ${whom} would have the same ${field}, \`${called}\`.`
    return [{ host: host.name, range: named.value, severity: 'error', code: 'INPUT.CONFLICT', words }]
  })
}

/** Two services of one host that are the same part of a file. */
function checkSharedFiles(host: MergedHost): readonly HostFinding[] {
  const services = [...host.vars.services].flatMap(([name, merged]) => {
    const { file, file_service: part = name } = writtenService(merged)
    return file === undefined ? [] : [{ name, merged, file, part }]
  })
  return services.flatMap(({ name, merged, file, part }, index) => {
    const other = services.slice(0, index).find((one) => one.file === file && one.part === part)
    const range = merged.fields.get('file')?.value ?? merged.key
    if (other === undefined) return []
    const words = (whom: string) => `\`${name}\` and \`${other.name}\` of ${whom} are both \`${part}\` in ${file}.`
    return [{ host: host.name, range, severity: 'error', code: 'INPUT.CONFLICT', words }]
  })
}

function checkSshArguments(host: MergedHost, vars: WrittenHost): readonly HostFinding[] {
  return variablesOfSsh.flatMap((name) => {
    const entry = host.vars.values.get(name)
    const line = vars[name]
    const fault = line === undefined ? undefined : faultOfSshArguments(line)
    if (entry === undefined || fault === undefined) return []
    return [{ host: host.name, range: entry.value, severity: 'error', code: 'INPUT.VALUE', words: () => fault }]
  })
}

/** With ssh the first value wins. Ansible puts `ansible_ssh_args` before options with variables of their own; converge puts all arguments after them. */
function checkSetTwice(host: MergedHost, vars: WrittenHost): readonly HostFinding[] {
  const entry = host.vars.values.get('ansible_ssh_args')
  if (entry === undefined || vars.ansible_ssh_args === undefined) return []
  const among = settingsOfSshArguments(vars.ansible_ssh_args)
  const own = [
    ['Port', 'ansible_port', host.port ?? vars.ansible_port],
    ['User', 'ansible_user', vars.ansible_user],
    ['IdentityFile', 'ansible_ssh_private_key_file', vars.ansible_ssh_private_key_file],
  ] as const
  return own.flatMap(([keyword, variable, value]) => {
    const other = among.get(keyword.toLowerCase())
    if (value === undefined || other === undefined || other === String(value)) return []
    const words = (whom: string) =>
      `\`ansible_ssh_args\` of ${whom} sets \`${keyword}\`, but \`${variable}\` has another value. Ansible would use the former, converge the latter. Keep one of them.`
    return [{ host: host.name, range: entry.value, severity: 'error', code: 'INPUT.CONFLICT', words }]
  })
}

function checkBecome(host: MergedHost, vars: WrittenHost): readonly HostFinding[] {
  if (vars.ansible_become === true) return []
  return [...namesOf('ansible_become_user'), ...namesOf('ansible_become_password')].flatMap((name) => {
    const entry = host.vars.values.get(name)
    if (entry === undefined) return []
    const words = (whom: string) => `\`${name}\` has no effect on ${whom}: \`ansible_become\` is not true.`
    return [{ host: host.name, range: entry.key, severity: 'warning', code: 'INPUT.NO_EFFECT', words }]
  })
}

/** One machine under two names would have two plans that do not see each other. */
function checkMachines(hosts: readonly { host: MergedHost; vars: WrittenHost }[]): readonly HostFinding[] {
  const machines = new Map<string, MergedHost>()
  return hosts.flatMap(({ host, vars }) => {
    if (host.vars.services.size === 0) return []
    const machine =
      vars.ansible_connection === 'local'
        ? 'this machine'
        : `${vars.ansible_host ?? host.name}, port ${vars.ansible_port ?? host.port ?? 22}`
    const other = machines.get(machine)
    machines.set(machine, other ?? host)
    if (other === undefined) return []
    const words = (whom: string) =>
      `${whom} and \`${other.name}\` are the same machine (${machine}), and both have services. The rules for a machine must see all of its services: put them under one name.`
    return [{ host: host.name, range: host.at, severity: 'error', code: 'INPUT.CONFLICT', words }]
  })
}

/** Valid settings in a place where they have no effect. */
export function checkPlacement(inventory: RawInventory): readonly InventoryIssue[] {
  return layersOf(inventory).flatMap(({ owner, layer, isFile }) => {
    const issues: InventoryIssue[] = []
    const fleet = layer.entries.get('fleet')
    const priority = layer.entries.get('ansible_group_priority')
    if (fleet !== undefined && owner.name !== 'all') {
      const words = 'The fleet has one set of settings: `fleet` belongs to the group `all`, in group_vars/all.yaml.'
      issues.push(issueAt(fleet.key, 'error', 'INPUT.CONFLICT', words))
    }
    if (priority !== undefined && (isFile || !inventory.groups.has(owner.name))) {
      const words =
        "`ansible_group_priority` counts only under a group's `vars:` in hosts.yaml, because it decides how the files are merged."
      issues.push(issueAt(priority.key, 'error', 'INPUT.CONFLICT', words))
    }
    return issues
  })
}

export function checkNames(inventory: RawInventory): readonly InventoryIssue[] {
  return [...inventory.hosts.values()].flatMap((host) => {
    if (!inventory.groups.has(host.name)) return []
    const words = `\`${host.name}\` is both a host and a group; a host pattern cannot distinguish them.`
    return [issueAt(host.at, 'warning', 'INPUT.AMBIGUOUS', words)]
  })
}
