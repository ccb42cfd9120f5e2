import type { HostFacts } from '../../src/model/facts.ts'
import type { HostPlan, Plan } from '../../src/model/plan.ts'
import type { PlanInput } from '../../src/plan/plan-fleet.ts'
import { factsOf } from '../support/fleet-input.ts'

/** How much of what there is to go wrong was in the fleets. */
export interface Tally {
  count(input: PlanInput, plan: Plan): void
  /** A host whose plan was compared with the one without leave. */
  compared(host: HostPlan): void
  readonly counts: Readonly<Record<string, number>>
}

export function createTally(): Tally {
  const counts: Record<string, number> = {}
  const add = (what: string, number: number) => {
    counts[what] = (counts[what] ?? 0) + number
  }
  return {
    counts,
    count: (input, { hosts }) => {
      const { fleet } = input
      const all = hosts.flatMap(({ actions }) => actions)
      add('fleets', 1)
      add('hosts', hosts.length)
      add(
        'services',
        fleet.hosts.reduce((sum, { services }) => sum + services.length, 0),
      )
      add(
        'paused containers',
        hosts.reduce((sum, { host }) => sum + pausedOn(factsOf(input, host)), 0),
      )
      add('as wanted', all.filter(({ kind }) => kind === 'noop').length)
      add('actions', all.filter(({ kind }) => kind !== 'noop').length)
      add('starts', all.filter(({ starts }) => starts).length)
      add('interruptions', all.filter(({ interrupts }) => interrupts).length)
      add('servers down for a while', all.filter(({ temporary }) => temporary !== undefined).length)
      add('momentary starts', all.filter(({ momentary }) => momentary === true).length)
      add(
        'refusals',
        hosts.reduce((sum, { refusals }) => sum + refusals.length, 0),
      )
      for (const { refusals } of hosts) for (const { code } of refusals) add(code, 1)
    },
    compared: ({ consented }) => {
      add('hosts with leave', 1)
      add('by leave', consented.length)
    },
  }
}

function pausedOn({ containers }: HostFacts): number {
  return containers.known ? containers.value.containers.filter(({ state }) => state === 'paused').length : 0
}
