import type { InventoryIssue } from '../model/issue.ts'
import { issueAt } from './source-text.ts'
import { isEmptyNode, type YamlMap, type YamlNode } from './yaml-node.ts'

/**
 * Other tools use `services` too: as a list of names (`[nginx, postfix]`) or a map of plain values (`ssh: yes`). That of converge is a map of maps.
 */
export function isOthersServices(node: YamlNode): boolean {
  const values =
    node.type === 'list' ? node.items : node.type === 'map' ? [...node.entries.values()].map(({ value }) => value) : []
  return values.length > 0 && values.every((value) => value.type === 'scalar' && !isEmptyNode(value))
}

export function warnOfOthersServices(layer: YamlMap): readonly InventoryIssue[] {
  const entry = layer.entries.get('services')
  if (entry === undefined || !isOthersServices(entry.value)) return []
  const words =
    'These `services` are not for converge, which expects a map of names, each with the settings of one model server. converge ignores them; `fleet.ignore_vars` silences this warning.'
  return [issueAt(entry.key, 'warning', 'INPUT.AMBIGUOUS', words)]
}
