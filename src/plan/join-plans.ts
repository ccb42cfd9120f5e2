import { InternalError } from '../errors/converge-error.ts'
import type { HostPlan, Plan } from '../model/plan.ts'
import { withDigest } from './digest.ts'
import { freezeDeep } from './freeze-deep.ts'
import { summaryOf } from './plan-fleet.ts'

/**
 * One plan out of the plans of several plays over one fleet: a host that stands in several has one entry, with what each play
 * does on it, in the order of the plays.
 *
 * @param createdAt ISO 8601
 */
export function joinPlans(plans: readonly Plan[], createdAt: string): Plan {
  const [first, ...rest] = plans
  if (first === undefined) throw new InternalError('there is no plan to join')
  if (rest.length === 0) return first
  const hosts = new Map<string, HostPlan>()
  for (const plan of plans)
    for (const host of plan.hosts) {
      const earlier = hosts.get(host.host)
      hosts.set(host.host, earlier === undefined ? host : joinHosts(earlier, host))
    }
  const joined = [...hosts.values()]
  const { schema, inventory } = first
  return freezeDeep(withDigest({ schema, inventory, summary: summaryOf(joined), hosts: joined }, createdAt))
}

function joinHosts(a: HostPlan, b: HostPlan): HostPlan {
  const known = new Set(a.actions.map((action) => action.service))
  return {
    ...a,
    actions: [...a.actions, ...b.actions.filter((action) => !known.has(action.service))],
    held_back: [...(a.held_back ?? []), ...(b.held_back ?? [])],
    refusals: distinct([...a.refusals, ...b.refusals]),
    warnings: distinct([...a.warnings, ...b.warnings]),
    consented: distinct([...a.consented, ...b.consented]),
  }
}

function distinct<T extends { readonly code: string; readonly service?: string; readonly why: string }>(
  findings: readonly T[],
): readonly T[] {
  const byId = new Map(findings.map((one) => [`${one.code}\0${one.service ?? ''}\0${one.why}`, one]))
  return [...byId.values()]
}
