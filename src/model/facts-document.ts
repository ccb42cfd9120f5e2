import type { HostFacts } from './facts.ts'
import type { Problem } from './plan.ts'
import type { Shard } from './shard.ts'

/** What `converge facts --json` prints. */
export interface FactsDocument {
  readonly schema: 'converge/facts/v1'
  /** Every selected host, in the order of the inventory. */
  readonly hosts: readonly ObservedHost[]
  /** Absent: it has all selected hosts. */
  readonly shard?: Shard
}

/** One host: its facts, or why there are none. */
export type ObservedHost =
  | { readonly host: string; readonly reachable: true; readonly facts: HostFacts }
  | { readonly host: string; readonly reachable: false; readonly problem: Problem }
