import type { Vars } from '../generated/inventory-file.ts'
import type { MergedService } from './merge.ts'
import type { MergedHost } from './resolve-vars.ts'
import type { WrittenFields } from './service-to-check.ts'
import { plainEntries, type YamlEntry } from './yaml-node.ts'

type Written = NonNullable<Vars>

/** The variables of a host that converge uses, each under one name and read as Ansible reads it. */
export interface WrittenHost
  extends Pick<
    Written,
    | 'platform'
    | 'ram_gb'
    | 'converge_dir'
    | 'client_address'
    | 'sleep'
    | 'rotate_logs'
    | 'ansible_host'
    | 'ansible_user'
    | 'ansible_ssh_private_key_file'
    | 'ansible_become_user'
    | 'ansible_become_password'
    | 'ansible_ssh_args'
    | 'ansible_ssh_common_args'
    | 'ansible_ssh_extra_args'
  > {
  readonly ansible_port?: number
  readonly ansible_connection?: 'ssh' | 'openssh' | 'local'
  readonly ansible_become?: boolean
}

/** Other names of variables in Ansible. */
export const otherNames: ReadonlyMap<string, string> = new Map([
  ['ansible_ssh_host', 'ansible_host'],
  ['ansible_ssh_port', 'ansible_port'],
  ['ansible_ssh_user', 'ansible_user'],
  ['ansible_private_key_file', 'ansible_ssh_private_key_file'],
  ['ansible_sudo_user', 'ansible_become_user'],
  ['ansible_become_pass', 'ansible_become_password'],
  ['ansible_sudo_pass', 'ansible_become_password'],
])

/** The name of a variable and its other names. */
export function namesOf(variable: string): readonly string[] {
  return [variable, ...[...otherNames].flatMap(([other, name]) => (name === variable ? [other] : []))]
}

/** All Ansible variables that affect how converge connects. */
export const variablesOfConnection: ReadonlySet<string> = new Set([
  'ansible_host',
  'ansible_port',
  'ansible_user',
  'ansible_ssh_private_key_file',
  'ansible_connection',
  'ansible_become',
  'ansible_become_user',
  'ansible_become_password',
  'ansible_ssh_args',
  'ansible_ssh_common_args',
  'ansible_ssh_extra_args',
  ...otherNames.keys(),
])

/** The variables of a host, typed as in the schema, without `services`. The schema has checked them. */
export function writtenHost(host: MergedHost): WrittenHost {
  const written: Written = plainEntries(byOneName(host.vars.values))
  const { ansible_port: port, ansible_connection: connection, ansible_become: become, ...rest } = written
  return {
    ...rest,
    ...(port === undefined ? {} : { ansible_port: Number(port) }),
    ...(connection === undefined ? {} : { ansible_connection: connections[connection] }),
    ...(become === undefined ? {} : { ansible_become: truthWords.test(String(become)) }),
  }
}

function byOneName(values: ReadonlyMap<string, YamlEntry>): ReadonlyMap<string, YamlEntry> {
  const named = new Map(values)
  for (const [other, name] of otherNames) {
    const entry = values.get(other)
    if (entry !== undefined && !values.has(name)) named.set(name, entry)
  }
  return named
}

const connections = {
  ssh: 'ssh',
  smart: 'ssh',
  'ansible.builtin.ssh': 'ssh',
  openssh: 'openssh',
  local: 'local',
  'ansible.builtin.local': 'local',
} as const

const truthWords = /^(?:y|yes|on|true|1)$/iu

export function writtenService(service: MergedService): WrittenFields {
  return plainEntries(service.fields)
}
