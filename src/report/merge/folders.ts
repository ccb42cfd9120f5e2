import type { FactsFrom } from '../../model/plan.ts'

/** Names of the folders that the facts came from; undefined: from the hosts. */
export function foldersOf(documents: readonly { readonly facts_from?: FactsFrom }[]): string | undefined {
  const all = documents.flatMap(({ facts_from: from }) => (from === undefined ? [] : [from.folder]))
  return all.length === 0 ? undefined : [...new Set(all)].join(', ')
}
