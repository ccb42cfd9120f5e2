import { findValue } from './find-value.ts'
import type { Fault } from './schema-faults.ts'
import { entriesOf, type YamlEntry, type YamlNode } from './yaml-node.ts'

/** A variable of a host or group in one of the files. */
export interface VariableInFile {
  readonly name: string
  readonly entry: YamlEntry | undefined
}

/**
 * The variable with a fault; undefined if the fault is in the structure of the inventory.
 * @param isHostsFile the file has groups and hosts, with variables at `vars:` and below host names; otherwise it has only variables
 */
export function variableOf(root: YamlNode, fault: Fault, isHostsFile: boolean): VariableInFile | undefined {
  const base = isHostsFile ? basePath(fault.path) : []
  if (base === undefined) return undefined
  const name = fault.path[base.length] ?? unknownName(fault)
  return name === undefined ? undefined : { name, entry: entriesOf(findValue(root, base).node).get(name) }
}

/** The path to the map of variables. */
function basePath(path: readonly string[]): readonly string[] | undefined {
  let at = 1
  while (path[at] === 'children') at += 2
  const length = path[at] === 'vars' ? at + 1 : path[at] === 'hosts' ? at + 2 : undefined
  return length === undefined || path.length < length ? undefined : path.slice(0, length)
}

function unknownName(fault: Fault): string | undefined {
  if (fault.sort !== 'error' || fault.error.keyword !== 'additionalProperties') return undefined
  return String(fault.error.params['additionalProperty'])
}
