import type { FactsFrom } from '../model/plan.ts'

/** The headline of a document, with the source of its facts where that is not the hosts. */
export function headlineOn(counts: string, from: FactsFrom | undefined): string {
  return from === undefined ? counts : `${counts} ${restsOn(from)}`
}

/** Says that the facts are of an earlier time. */
export function restsOn({ folder, oldest, newest }: FactsFrom): string {
  if (oldest === undefined || newest === undefined) return `No host was contacted, and ${folder} has no usable facts.`
  return `No host was contacted: this rests on facts in ${folder}, gathered ${oldest === newest ? `at ${oldest}` : `from ${oldest} to ${newest}`}.`
}
