import type { InventoryIssue } from '../model/issue.ts'
import { isServerKind } from '../servers/traits.ts'
import { nearest } from './did-you-mean.ts'
import type { RawInventory } from './raw-inventory.ts'
import { layersOf } from './resolve-vars.ts'
import { issueAt } from './source-text.ts'
import { entriesOf, type YamlEntry, type YamlNode } from './yaml-node.ts'

/**
 * A host whose `services` are misspelt would look like one that asks nothing of converge, and its variables would be passed over: so a
 * name that comes near, with values that look like services, is a mistake wherever it stands.
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
      `\`${name}\` is not a variable that converge knows, and looks like one. Did you mean \`services\`?`,
    ),
  )
}

function looksLikeServices(node: YamlNode): boolean {
  return [...entriesOf(node).values()].some(({ value }) => {
    const kind = entriesOf(value).get('kind')?.value
    return kind?.type === 'scalar' && isServerKind(kind.value)
  })
}
