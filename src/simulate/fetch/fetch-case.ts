import { defined } from '../../lib/defined.ts'
import type { DiskFact } from '../../model/disk-fact.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { FetchFact } from '../../model/fetch.ts'
import type { Observed } from '../../model/observed.ts'
import type { Neighbours } from './neighbours.ts'
import type { HubTrouble, Listing, SourcedModel } from './order.ts'
import { usersOf } from './users.ts'

/** All that is known of one model of one host. */
export interface FetchCase {
  readonly host: string
  readonly model: SourcedModel
  readonly fact: Observed<FetchFact>
  /** Absent: its hub was not asked. */
  readonly listing?: Listing | HubTrouble
  /** Of the volume that it lies on. */
  readonly disk?: Observed<DiskFact>
  /** What other hosts have; absent: nobody looked, so nothing is known of where files would come from but the hub. */
  readonly neighbours?: Neighbours
  /** Pids of servers that work from what lies at its path; absent: not known. */
  readonly users?: readonly number[]
}

/** What is known of a model, with what the facts of its host add to it. */
export function fetchCase(facts: HostFacts, known: Omit<FetchCase, 'disk' | 'users'>): FetchCase {
  const { path } = known.model
  return { ...known, users: usersOf(path, known.fact, facts), ...defined({ disk: facts.disks[path] }) }
}
