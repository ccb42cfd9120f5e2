import type { HostFacts } from '../../src/model/facts.ts'
import type { HostPlan, Plan } from '../../src/model/plan.ts'
import type { PlanInput } from '../../src/plan/plan-fleet.ts'
import { factsOf } from '../support/fleet-input.ts'
import { pidOf } from '../support/simulated-pid.ts'

/** How much of what there is to go wrong was in the fleets. */
export interface Tally {
  count(input: PlanInput, plan: Plan): void
  /** A host whose plan was compared with the one without leave. */
  compared(host: HostPlan, without: HostPlan): void
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
      add(
        'starts behind a larger budget',
        hosts.reduce((sum, host) => sum + behindLargerBudget(input, host), 0),
      )
      add('momentary starts', all.filter(({ momentary }) => momentary === true).length)
      add(
        'refusals',
        hosts.reduce((sum, { refusals }) => sum + refusals.length, 0),
      )
      for (const { refusals } of hosts) for (const { code } of refusals) add(code, 1)
    },
    compared: ({ consented }, without) => {
      add('hosts with leave', 1)
      add('by leave', consented.length)
      const down = new Set(without.actions.flatMap(({ temporary, service }) => (temporary === undefined ? [] : [service])))
      const others = consented.filter(({ service = '' }) => !down.has(service))
      add('swaps beside leave for another', down.size > 0 && others.length > 0 ? 1 : 0)
    },
  }
}

/** Starts of others after the end of a Kind B that was started with more than is desired. */
function behindLargerBudget(input: PlanInput, { host, actions }: HostPlan): number {
  const { residents } = factsOf(input, host)
  const services = input.fleet.hosts.flatMap((one) => one.services).filter((one) => one.host === host)
  const larger = services.filter((service) => {
    const process = residents.known ? residents.value.find(({ pid }) => pid === pidOf(service)) : undefined
    return Number(process?.env?.['RAM_GB'] ?? 0) > (service.ramGb ?? 0)
  })
  const names = new Set(larger.map(({ name }) => name))
  const end = actions.findIndex(({ service, interrupts }) => interrupts && names.has(service))
  return end < 0 ? 0 : actions.slice(end).filter(({ service, starts }) => starts && service !== actions[end]?.service).length
}

function pausedOn({ containers }: HostFacts): number {
  return containers.known ? containers.value.containers.filter(({ state }) => state === 'paused').length : 0
}
