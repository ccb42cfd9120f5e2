import type { Plan } from '../../model/plan.ts'
import { factsFrom, summaryOf } from '../../plan/plan-fleet.ts'
import { unreachableHost } from '../../plan/plan-host.ts'
import { withDigest } from '../../simulate/digest.ts'
import { foldersOf } from './folders.ts'
import { earliest } from './moments.ts'
import { notLookedAt } from './not-looked-at.ts'
import { notificationsOf } from './notifications.ts'

/**
 * Merges plans that share no host.
 *
 * @param unseen hosts that none of them covers
 */
export function mergePlans(plans: readonly Plan[], unseen: readonly string[]): Plan {
  const [first] = plans
  if (first === undefined) throw new RangeError('there is no plan')
  const { schema, inventory } = first
  const hosts = [...plans.flatMap((plan) => plan.hosts), ...unseen.map((host) => unreachableHost(host, notLookedAt(host)))]
  const merged = { schema, inventory, ...factsFrom(foldersOf(plans), hosts), summary: summaryOf(hosts), hosts }
  return { ...withDigest(merged, earliest(plans.map((plan) => plan.created_at))), ...notificationsOf(plans) }
}
