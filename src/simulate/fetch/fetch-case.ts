import { defined } from '../../lib/defined.ts'
import type { DiskFact } from '../../model/disk-fact.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { FetchFact } from '../../model/fetch.ts'
import type { Observed } from '../../model/observed.ts'
import type { Neighbours } from './neighbours.ts'
import type { HubTrouble, Listing, SourcedModel } from './order.ts'
import { usersOf } from './users.ts'

/** Everything known about one model on one host. */
export interface FetchCase {
  readonly host: string
  readonly model: SourcedModel
  readonly fact: Observed<FetchFact>
  /** Absent: its hub was not asked. */
  readonly listing?: Listing | HubTrouble
  /** Of the volume for it. */
  readonly disk?: Observed<DiskFact>
  /** What other hosts have; absent: not checked, so the hub is the only known source. */
  readonly neighbours?: Neighbours
  /** Pids of servers that use the files at its path; absent: unknown. */
  readonly users?: readonly number[]
}

/** Adds the facts of the host to what is known about a model. */
export function fetchCase(facts: HostFacts, known: Omit<FetchCase, 'disk' | 'users'>): FetchCase {
  const { path } = known.model
  return { ...known, users: usersOf(path, known.fact, facts), ...defined({ disk: facts.disks[path] }) }
}
