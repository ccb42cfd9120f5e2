import { type ScalarValue, scalarText } from '../../lib/yaml-edit/new-text.ts'
import type { Platform } from '../../model/names.ts'
import { defaultSettings } from '../defaults.ts'
import type { Target } from './target.ts'

/** A host of a new inventory, with what was seen of it. */
export interface NewHost extends Target {
  readonly platform?: Platform
  readonly ramGb?: number
  /** Root is needed. `sudo`: without a password. `password`: sudo wants one, or refuses. */
  readonly root?: 'sudo' | 'password'
  /** Code of the problem for which it was not seen. It is written as a comment. */
  readonly problem?: string
}

export interface NewFleet {
  readonly org: string
  /** The lowest port of a server that runs already; absent: unknown, or none runs. */
  readonly lowestPort?: number
}

/** Files of a new inventory, by their paths in it. No text of a host is in them. */
export type NewFiles = Readonly<Record<string, string>>

export function newInventory(hosts: readonly NewHost[], fleet: NewFleet): NewFiles {
  return { 'group_vars/all.yaml': settingsText(fleet), 'hosts.yaml': hostsText(hosts) }
}

/** With comments above the text of a new file in `host_vars/`. */
export function withHeading(text: string, ...lines: readonly string[]): string {
  return `${[schemaLine('../', 'group-vars'), '', ...lines].map(commentLine).join('')}${text}`
}

function hostsText(hosts: readonly NewHost[]): string {
  const heading = [
    schemaLine('', 'inventory'),
    '',
    "Hosts and their groups, in Ansible's format: Ansible reads this file as well.",
    'All other settings of SSH come from ~/.ssh/config. The services of a host are in host_vars/.',
  ]
  return `${heading.map(commentLine).join('')}all:\n  hosts:\n${hosts.map(hostText).join('')}`
}

function hostText(host: NewHost): string {
  const fields = fieldsOf(host)
  const entry = `${scalarText(host.name)}:${fields.length === 0 ? '' : `\n${fields.map((line) => `  ${line}`).join('\n')}`}\n`
  if (host.problem === undefined) return indented(entry, '    ')
  const why = [
    `${host.name} was unreachable (${host.problem}), so it is not in the inventory yet.`,
    'When it is reachable, remove the `#` of its lines, then run `converge adopt`.',
  ]
  return indented(why.map(commentLine).join('') + indented(entry, '# '), '    ')
}

/** Whole lines. */
function fieldsOf({ name, address, port, user, root, platform, ramGb }: NewHost): readonly string[] {
  return [
    ...field(
      'ansible_connection',
      isThisMachine({ name, address, port, user }) ? 'local' : undefined,
      'this machine, without SSH',
    ),
    ...field('ansible_host', address),
    ...field('ansible_port', port),
    ...field('ansible_user', user),
    ...field('ansible_become', root === 'sudo' ? true : undefined, 'run commands as root, with sudo'),
    ...(root === 'password' ? becomeAdvice : []),
    ...field('platform', platform),
    ...field('ram_gb', ramGb, 'plans compare it with the RAM that they find'),
  ]
}

function field(key: string, value: ScalarValue | undefined, comment = ''): readonly string[] {
  return value === undefined ? [] : [`${key}: ${scalarText(value)}${comment === '' ? '' : ` # ${comment}`}`]
}

const becomeAdvice = [
  '# Only root can change system units and see the servers of all accounts. Here sudo needs a password:',
  '# ansible_become: true',
  '# ansible_become_password: { env: SUDO_PASSWORD } # where the password is, not the password itself',
]

/** As with Ansible, `localhost` needs no SSH. */
function isThisMachine({ name, address, port, user }: { readonly [key in keyof Target]: Target[key] | undefined }): boolean {
  return name === 'localhost' && address === undefined && port === undefined && user === undefined
}

function settingsText({ org, lowestPort }: NewFleet): string {
  const heading = [schemaLine('../', 'group-vars'), '', 'Settings of the whole fleet, and variables that all hosts share.']
  const { min } = defaultSettings.ports
  const ports =
    lowestPort === undefined || lowestPort >= min
      ? ''
      : `  ports: { min: ${lowestPort} } # services use no port below this one, which a server already has\n`
  return `${heading.map(commentLine).join('')}fleet:
  org: ${scalarText(org)} # part of every label, com.${org}.<service>; choose it before the first apply
${ports}`
}

/** The name of an account, as a part of labels. */
export function orgOf(account: string): string {
  const name = account
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  return name === '' || name === 'root' ? defaultSettings.org : name
}

/** GiB that a machine was bought with; what the system reports is a little less. */
export function nominalRam(bytes: number): number {
  const found = bytes / 1024 ** 3
  const step = 2 ** Math.floor(Math.log2(found)) / 8
  const nominal = Math.ceil(found / step) * step
  return nominal - found <= nominal / 16 ? nominal : Math.max(Math.round(found * 10) / 10, 0.1)
}

function schemaLine(up: string, name: string): string {
  return `yaml-language-server: $schema=${up}.schemas/${name}.schema.json`
}

function commentLine(line: string): string {
  return `${`# ${line}`.trimEnd()}\n`
}

function indented(text: string, prefix: string): string {
  return text.replaceAll(/^(?=.)/gm, prefix)
}
