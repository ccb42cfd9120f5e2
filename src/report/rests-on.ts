import type { FactsFrom } from '../model/plan.ts'

/** The headline of a document, with what it rests on where that is not the hosts themselves. */
export function headlineOn(counts: string, from: FactsFrom | undefined): string {
  return from === undefined ? counts : `${counts} ${restsOn(from)}`
}

/** Whoever reads it must not take it for what the hosts are like now. */
export function restsOn({ folder, oldest, newest }: FactsFrom): string {
  if (oldest === undefined || newest === undefined) return `No host was looked at, and ${folder} has no facts that could be used.`
  return `No host was looked at: this rests on facts in ${folder}, gathered ${oldest === newest ? `at ${oldest}` : `from ${oldest} to ${newest}`}.`
}
