import type { Service } from '../model/fleet.ts'
import type { Observed } from '../model/observed.ts'
import type { BudgetNames, Started } from './as-started.ts'

/** How to determine the RAM of a server: from its budget, or from its model. */
export type MemoryOfKind = ByBudget | ByWeights

interface ByBudget extends BudgetNames {
  readonly by: 'budget'
}

export interface ByWeights {
  readonly by: 'weights'
  /** A running server as the service it was started as, as far as memory is concerned. */
  asStarted(service: Service, started: Started): Service
  /** What it may still take, whatever its model. Bytes. */
  leastDue(started: Service): Observed<number>
}
