import { isOthersServices } from './others-services.ts'
import type { MergedHost } from './resolve-vars.ts'
import { variablesOfConnection } from './written-host.ts'
import { entriesOf, type YamlEntry } from './yaml-node.ts'

/** Whether converge uses a variable of the files. */
export type IsUsed = (name: string, entry: YamlEntry | undefined) => boolean

/** Variables of converge itself: a fault in them is an error everywhere. */
const always: ReadonlySet<string> = new Set(['fleet', 'services', 'ansible_group_priority'])

/**
 * The variables that a managed host gets. The inventory may be shared with Ansible: variables of other hosts, and values that are overridden, do not
 * concern converge.
 */
export function usedVariables(hosts: readonly MergedHost[]): IsUsed {
  const used = new Set(hosts.filter(isManaged).flatMap(({ vars }) => [...vars.values.values()]))
  return (name, entry) => {
    if (always.has(name)) return isAlwaysUsed(name, entry)
    const isAnsibles = name.startsWith('ansible_') && !variablesOfConnection.has(name)
    return !isAnsibles && entry !== undefined && used.has(entry)
  }
}

/** Independent of merging. */
export function isAlwaysUsed(name: string, entry: YamlEntry | undefined): boolean {
  return always.has(name) && !(name === 'services' && entry !== undefined && isOthersServices(entry.value))
}

/** Whether converge manages the host: it has services or sleep timers. */
export function isManaged({ vars }: MergedHost): boolean {
  return vars.services.size > 0 || entriesOf(vars.values.get('sleep')?.value).size > 0
}
