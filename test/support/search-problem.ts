import { evaluateService } from '../../src/plan/evaluate-service.ts'
import type { PlanInput } from '../../src/plan/plan-fleet.ts'
import { preferredOrder } from '../../src/schedule/schedule.ts'
import { queuesOf, type SearchProblem } from '../../src/schedule/search/search.ts'
import { initialState } from '../../src/simulate/initial-state.ts'
import { openCase } from '../../src/simulate/service-case.ts'

/** What of a planner's input the search for an order sees: its only host with what may be done there. */
export function problemOf({ fleet, facts, keys, approvals: given, now }: PlanInput): SearchProblem {
  const [host] = fleet.hosts
  const seen = facts.get(host?.name ?? '')
  if (host === undefined || seen === undefined || !('salt' in seen)) throw new Error('a problem needs a host that was looked at')
  const cases = host.services.map((service) => openCase(fleet, host, service, { facts: seen, keys }))
  const approvals = { given, now }
  const evaluations = cases.map((subject) => evaluateService(subject, approvals))
  const violations = new Map(evaluations.map((one) => [one.subject.service.name, one.violations]))
  return {
    queues: queuesOf(preferredOrder(evaluations)),
    start: initialState(seen, cases),
    policy: { approvals, violations },
    budget: { left: 20_000 },
  }
}
