import type { Plan } from '../model/plan.ts'
import type { Consent } from '../model/playbook.ts'
import { joinPlans } from '../plan/join-plans.ts'
import { planFleet } from '../plan/plan-fleet.ts'
import type { Observation } from './observe-fleet.ts'
import type { SelectedPlay } from './plays.ts'
import type { Run } from './run.ts'

export interface PlanRequest {
  readonly plays: readonly SelectedPlay[]
  /** From `--allow`; they hold for every play. */
  readonly consents: readonly Consent[]
}

/** Every host of every play, in the order of the inventory. */
export function hostsOf(run: Run, plays: readonly SelectedPlay[]): readonly string[] {
  const wanted = new Set(plays.flatMap((play) => play.hosts))
  return run.open.names.filter((name) => wanted.has(name))
}

/** One plan for all plays. A service that two plays select is planned by the first. */
export function makePlan(run: Run, { plays, consents }: PlanRequest, facts: Observation): Plan {
  const now = run.context.now().toISOString()
  const plans = plays.map(({ play, hosts, services }) =>
    planFleet({
      fleet: run.open.fleet,
      facts,
      keys: run.keys,
      selection: { hosts: hosts.filter((host) => facts.has(host)), services },
      consents: [...play.consents, ...consents],
      now,
    }),
  )
  return joinPlans(plans, now)
}

/** All leave that the plan was made with. */
export function allConsents({ plays, consents }: PlanRequest): readonly Consent[] {
  return [...plays.flatMap(({ play }) => play.consents), ...consents]
}
