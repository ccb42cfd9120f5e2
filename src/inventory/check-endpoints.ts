import type { InventoryIssue } from '../model/issue.ts'
import { didYouMean } from './did-you-mean.ts'
import { issueAt } from './source-text.ts'
import { entriesOf, plainValue, type YamlNode } from './yaml-node.ts'

/** What the schema cannot check of `fleet.endpoints`: each entry names a host of the inventory, and no two the same file. */
export function checkEndpoints(list: YamlNode | undefined, hosts: readonly string[]): readonly InventoryIssue[] {
  if (list?.type !== 'list') return []
  const known = new Set(hosts)
  const taken = new Set<string>()
  return list.items.flatMap((node): readonly InventoryIssue[] => {
    const entries = entriesOf(node)
    const [host, path] = ['host', 'path'].map((name) => entries.get(name))
    if (host === undefined || path === undefined) return []
    const name = String(plainValue(host.value))
    if (!known.has(name)) {
      const words = `The inventory has no host \`${name}\`.${didYouMean(name, hosts)}`
      return [issueAt(host.value, 'error', 'INPUT.REFERENCE', words)]
    }
    const file = `${name}:${String(plainValue(path.value))}`
    if (!taken.has(file)) {
      taken.add(file)
      return []
    }
    return [issueAt(path.value, 'error', 'INPUT.CONFLICT', `Another entry of \`endpoints\` is for the same file on \`${name}\`.`)]
  })
}
