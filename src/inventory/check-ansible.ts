import { becomesOtherwise } from './becomes-otherwise.ts'
import { slipOf } from './did-you-mean.ts'
import type { HostFinding } from './issues.ts'
import type { MergedHost } from './resolve-vars.ts'
import { namesOf, otherNames, variablesOfConnection, type WrittenHost } from './written-host.ts'
import { plainValue, type YamlEntry, type YamlNode } from './yaml-node.ts'

/**
 * Ansible has more variables than converge uses. An unsupported variable that changes the connection or its user is an error; one that converge
 * handles differently is a warning. The others are ignored.
 */
export function checkAnsible(host: MergedHost, vars: WrittenHost, ignored: (name: string) => boolean): readonly HostFinding[] {
  return [...host.vars.values].flatMap(([name, entry]) => {
    if (!name.startsWith('ansible_') || ignored(name)) return []
    return [...checkTwoNames(host, name, entry), ...checkKnown(host, vars, { name, entry }), ...checkSpelling(host, name, entry)]
  })
}

/** Reported at the less usual of the two names. */
function checkTwoNames(host: MergedHost, other: string, entry: YamlEntry): readonly HostFinding[] {
  const names = namesOf(otherNames.get(other) ?? other)
  const twin = names.slice(0, names.indexOf(other)).find((name) => host.vars.values.has(name))
  const value = twin === undefined ? undefined : host.vars.values.get(twin)?.value
  if (value === undefined || asText(value) === asText(entry.value)) return []
  const words = (whom: string) =>
    `\`${other}\` is another name of \`${twin ?? ''}\`, but ${whom} has both with different values. Keep one of them.`
  return [{ host: host.name, range: entry.key, severity: 'error', code: 'INPUT.CONFLICT', words }]
}

/** `22` and `"22"` are the same to Ansible. */
function asText(node: YamlNode): string {
  return node.type === 'scalar' ? String(node.value) : JSON.stringify(plainValue(node))
}

interface Variable {
  readonly name: string
  readonly entry: YamlEntry
}

function checkKnown(host: MergedHost, vars: WrittenHost, { name, entry }: Variable): readonly HostFinding[] {
  const found = (severity: HostFinding['severity'], code: HostFinding['code'], words: HostFinding['words']) => [
    { host: host.name, range: entry.key, severity, code, words },
  ]
  const value = String(plainValue(entry.value))
  if (vars.ansible_become === true && becomesOtherwise(name, value))
    return found('error', 'INPUT.VALUE', (whom) =>
      name.endsWith('_flags')
        ? `\`${name}\` of ${whom} has flags other than \`-H\`, \`-S\` and \`-n\`, which converge does not pass to \`sudo\`. Remove them.`
        : `\`${name}\` of ${whom} is not \`sudo\`, but converge becomes another user only through \`sudo\`.`,
    )
  if (name === 'ansible_ssh_executable' && value !== 'ssh')
    return found(
      'error',
      'INPUT.VALUE',
      (whom) =>
        `\`ansible_ssh_executable\` of ${whom} is not \`ssh\`, and converge does not know what that program connects to. It uses the \`ssh\` in the PATH.`,
    )
  if (passwords.has(name))
    return found(
      'warning',
      'INPUT.NO_EFFECT',
      (whom) => `\`${name}\` has no effect on ${whom}: converge logs in with keys. \`ssh-copy-id\` copies yours to the host.`,
    )
  return []
}

const passwords: ReadonlySet<string> = new Set(['ansible_password', 'ansible_ssh_pass', 'ansible_ssh_password'])

/** Ansible variables that only look like a typing error. */
const alike: ReadonlySet<string> = new Set([
  'ansible_su_user',
  'ansible_su_pass',
  'ansible_dzdo_user',
  'ansible_dzdo_pass',
  'ansible_scp_extra_args',
])

/** Typing errors in names that converge uses. Other names of Ansible differ by more letters. */
function checkSpelling(host: MergedHost, name: string, { key }: YamlEntry): readonly HostFinding[] {
  if (variablesOfConnection.has(name) || alike.has(name)) return []
  const meant = slipOf([...variablesOfConnection], name)
  if (meant === undefined) return []
  const words = (whom: string) => `\`${name}\` of ${whom} is not an Ansible variable. Did you mean \`${meant}\`?`
  return [{ host: host.name, range: key, severity: 'error', code: 'INPUT.UNKNOWN_KEY', words }]
}
