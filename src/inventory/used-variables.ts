import { isOthersServices } from './others-services.ts'
import type { MergedHost } from './resolve-vars.ts'
import { variablesOfConnection } from './written-host.ts'
import { entriesOf, type YamlEntry } from './yaml-node.ts'

/** Whether a variable that stands somewhere in the files is one that converge goes by. */
export type IsUsed = (name: string, entry: YamlEntry | undefined) => boolean

/** They are converge's own, and say what it is to do: what is wrong in them is wrong wherever they stand. */
const always: ReadonlySet<string> = new Set(['fleet', 'services', 'ansible_group_priority'])

/**
 * Of all that an inventory says, what counts for a host that asks something of converge: an inventory is shared with Ansible, and what
 * it says of switches, or in a value that another one replaces, is none of converge's business.
 */
export function usedVariables(hosts: readonly MergedHost[]): IsUsed {
  const used = new Set(hosts.filter(asksForSomething).flatMap(({ vars }) => [...vars.values.values()]))
  return (name, entry) => {
    if (always.has(name)) return isAlwaysUsed(name, entry)
    const isAnsibles = name.startsWith('ansible_') && !variablesOfConnection.has(name)
    return !isAnsibles && entry !== undefined && used.has(entry)
  }
}

/** Before anything is merged. */
export function isAlwaysUsed(name: string, entry: YamlEntry | undefined): boolean {
  return always.has(name) && !(name === 'services' && entry !== undefined && isOthersServices(entry.value))
}

/** It has services, or its sleep timers are to be set. */
export function asksForSomething({ vars }: MergedHost): boolean {
  return vars.services.size > 0 || entriesOf(vars.values.get('sleep')?.value).size > 0
}
