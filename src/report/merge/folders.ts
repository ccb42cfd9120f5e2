import type { FactsFrom } from '../../model/plan.ts'

/** Names of all facts-snapshot folders; undefined: the facts came from the hosts. */
export function foldersOf(documents: readonly { readonly facts_from?: FactsFrom }[]): string | undefined {
  const all = documents.flatMap(({ facts_from: from }) => (from === undefined ? [] : [from.folder]))
  return all.length === 0 ? undefined : [...new Set(all)].join(', ')
}
