import { validateVars } from '../generated/validators.js'
import { defined } from '../lib/defined.ts'
import { becomesOtherwise } from './becomes-otherwise.ts'
import type { MergedHost } from './resolve-vars.ts'
import { faultOfSshArguments, variablesOfSsh } from './ssh-arguments.ts'
import { isManaged } from './used-variables.ts'
import { variablesOfConnection, writtenHost } from './written-host.ts'
import { plainValue, walk, type YamlEntry, type YamlNode } from './yaml-node.ts'

export interface UsableHost {
  readonly host: MergedHost
  /** Why converge cannot connect to it, as words after `because`. */
  readonly apart?: string
}

/**
 * A host with its usable variables. For a managed host, the checks have shown that all are usable. For another host, unusable variables are left
 * out; if one of them affects the connection (`network_cli`, a template), converge does not connect.
 */
export function usableHost(host: MergedHost): UsableHost {
  if (isManaged(host)) return { host }
  const faults = new Map(
    [...host.vars.values].flatMap(([name, entry]) => {
      const fault = faultOf(name, entry)
      return fault === undefined ? [] : [[name, fault] as const]
    }),
  )
  const values = new Map([...host.vars.values].filter(([name]) => !faults.has(name)))
  const usable = { ...host, vars: { ...host.vars, values } }
  const [apart] = [
    ...[...faults].filter(([name]) => variablesOfConnection.has(name)).map(([, fault]) => fault),
    ...faultOfBecoming(usable),
  ]
  return { host: usable, ...defined({ apart }) }
}

const ofMachine: ReadonlySet<string> = new Set(['platform', 'ram_gb', 'converge_dir', 'client_address', 'sleep', 'rotate_logs'])

function faultOf(name: string, { value }: YamlEntry): string | undefined {
  if (!variablesOfConnection.has(name) && !ofMachine.has(name)) return undefined
  if (hasTemplate(value)) return `\`${name}\` is a template`
  const plain = plainValue(value)
  const isArguments = variablesOfSsh.some((known) => known === name) && faultOfSshArguments(String(plain)) !== undefined
  if (validateVars({ [name]: plain }) && !isArguments) return undefined
  return typeof plain === 'string' && name === 'ansible_connection'
    ? `\`${name}\` is ${shown(plain)}`
    : `\`${name}\` cannot be used`
}

function faultOfBecoming(host: MergedHost): readonly string[] {
  if (writtenHost(host).ansible_become !== true) return []
  return [...host.vars.values].flatMap(([name, { value }]) =>
    value.type === 'scalar' && becomesOtherwise(name, String(value.value))
      ? [`\`${name}\` is ${shown(String(value.value))}`]
      : [],
  )
}

function shown(text: string): string {
  return /^[\w.-]{1,60}$/u.test(text) ? `\`${text}\`` : 'not supported by converge'
}

function hasTemplate(node: YamlNode): boolean {
  let found = false
  walk(node, (one) => {
    found ||= one.type === 'scalar' && one.tag === undefined && /\{\{|\{%/u.test(String(one.value))
  })
  return found
}
