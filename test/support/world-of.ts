import { hearService } from '../../src/plan/hear-service.ts'
import type { PlanInput } from '../../src/plan/plan-fleet.ts'
import { preferredOrder } from '../../src/schedule/schedule.ts'
import { tracksOf, type World } from '../../src/schedule/search/walk.ts'
import { initialState } from '../../src/simulate/initial-state.ts'
import { openCase } from '../../src/simulate/service-case.ts'

/** What of a planner's input the search for an order sees: its only host with what may be done there. */
export function worldOf({ fleet, facts, keys, consents, now }: PlanInput): World {
  const [host] = fleet.hosts
  const seen = facts.get(host?.name ?? '')
  if (host === undefined || seen === undefined || !('salt' in seen)) throw new Error('a world needs a host that was looked at')
  const cases = host.services.map((service) => openCase(fleet, host, service, { facts: seen, keys }))
  const leave = { consents, now }
  const hearings = cases.map((subject) => hearService(subject, leave))
  const standing = new Map(hearings.map((one) => [one.subject.service.name, one.standing]))
  return {
    tracks: tracksOf(preferredOrder(hearings)),
    start: initialState(seen, cases),
    court: { leave, standing },
    budget: { left: 20_000 },
  }
}
