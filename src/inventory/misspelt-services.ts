import type { InventoryIssue } from '../model/issue.ts'
import { isServerKind } from '../servers/traits.ts'
import { nearest } from './did-you-mean.ts'
import type { RawInventory } from './raw-inventory.ts'
import { layersOf } from './resolve-vars.ts'
import { issueAt } from './source-text.ts'
import { entriesOf, type YamlEntry, type YamlNode } from './yaml-node.ts'

/**
 * A host with misspelt `services` would look unmanaged, and its variables would be ignored. So a similar name whose value looks like services is an
 * error everywhere.
 */
export function misspeltServices(inventory: RawInventory, ignored: (name: string) => boolean): readonly InventoryIssue[] {
  const found = new Map<YamlEntry, string>()
  for (const { layer } of layersOf(inventory)) {
    for (const [name, entry] of layer.entries)
      if (name !== 'services' && !ignored(name) && nearest(name, ['services']) !== undefined && looksLikeServices(entry.value))
        found.set(entry, name)
  }
  return [...found].map(([{ key }, name]) =>
    issueAt(
      key,
      'error',
      'INPUT.UNKNOWN_KEY',
      `\`${name}\` is not a variable of converge, but looks like one. Did you mean \`services\`?`,
    ),
  )
}

function looksLikeServices(node: YamlNode): boolean {
  return [...entriesOf(node).values()].some(({ value }) => {
    const kind = entriesOf(value).get('kind')?.value
    return kind?.type === 'scalar' && isServerKind(kind.value)
  })
}
