import { validateVars } from '../generated/validators.js'
import { defined } from '../lib/defined.ts'
import { becomesOtherwise } from './becomes-otherwise.ts'
import type { MergedHost } from './resolve-vars.ts'
import { faultOfSshArguments, variablesOfSsh } from './ssh-arguments.ts'
import { asksForSomething } from './used-variables.ts'
import { variablesOfConnection, writtenHost } from './written-host.ts'
import { plainValue, walk, type YamlEntry, type YamlNode } from './yaml-node.ts'

export interface UsableHost {
  readonly host: MergedHost
  /** Why nobody can connect to it, in words that complete `because …`. */
  readonly apart?: string
}

/**
 * A host with what of its variables can be used. One that asks something of converge was checked, and all of it can. Of another, what
 * cannot be used is left out; where that says how to connect (`network_cli`, a template), nobody connects.
 */
export function usableHost(host: MergedHost): UsableHost {
  if (asksForSomething(host)) return { host }
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

const ofMachine: ReadonlySet<string> = new Set(['platform', 'ram_gb', 'converge_dir', 'sleep', 'rotate_logs'])

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
  return /^[\w.-]{1,60}$/u.test(text) ? `\`${text}\`` : 'none that converge has'
}

function hasTemplate(node: YamlNode): boolean {
  let found = false
  walk(node, (one) => {
    found ||= one.type === 'scalar' && one.tag === undefined && /\{\{|\{%/u.test(String(one.value))
  })
  return found
}
