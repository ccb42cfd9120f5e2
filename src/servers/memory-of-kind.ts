import type { Service } from '../model/fleet.ts'
import type { Observed } from '../model/observed.ts'
import type { BudgetNames, Started } from './as-started.ts'

/** What a server takes of the RAM: a budget that it is given, or what its model needs. */
export type MemoryOfKind = ByBudget | ByWeights

interface ByBudget extends BudgetNames {
  readonly by: 'budget'
}

export interface ByWeights {
  readonly by: 'weights'
  /** A running server as the service that it was started as, as far as its memory goes. */
  asStarted(service: Service, started: Started): Service
  /** What it may still take, whatever model it has. Bytes. */
  leastDue(started: Service): Observed<number>
}
