import type { HostPlan, Plan, PlanSummary } from '../../model/plan.ts'
import { factsFrom, summaryOf } from '../../plan/plan-fleet.ts'
import { unreachableHost } from '../../plan/plan-host.ts'
import { withDigest } from '../../simulate/digest.ts'
import { foldersOf } from './folders.ts'
import { asTheyAre, type InOrder } from './in-order.ts'
import { earliest } from './moments.ts'
import { notificationsOf } from './notifications.ts'
import { type Unseen, uncounted } from './unseen.ts'

/**
 * Merges plans that share no host.
 *
 * @param unseen hosts that none of them covers
 */
export function mergePlans(plans: readonly Plan[], unseen: readonly Unseen[], inOrder: InOrder = asTheyAre): Plan {
  const [first] = plans
  if (first === undefined) throw new RangeError('there is no plan')
  const { schema, inventory } = first
  const unknown = unseen.map(({ host, problem }) => unreachableHost(host, problem))
  const hosts = inOrder([...plans.flatMap((plan) => plan.hosts), ...unknown])
  const merged = { schema, inventory, ...factsFrom(foldersOf(plans), hosts), summary: summaryWith(hosts, unseen), hosts }
  return { ...withDigest(merged, earliest(plans.map((plan) => plan.created_at))), ...notificationsOf(plans) }
}

function summaryWith(hosts: readonly HostPlan[], unseen: readonly Unseen[]): PlanSummary {
  const summary = summaryOf(hosts)
  const more = uncounted(unseen)
  return { ...summary, hosts: summary.hosts + more, unreachable: summary.unreachable + more }
}
