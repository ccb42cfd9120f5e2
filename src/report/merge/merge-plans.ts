import { defined } from '../../lib/defined.ts'
import { digestOf } from '../../lib/digest.ts'
import type { Plan } from '../../model/plan.ts'
import type { MergedShards } from '../../model/shard.ts'
import { factsFrom, summaryOf, totalOf } from '../../plan/plan-fleet.ts'
import { unreachableHost } from '../../plan/plan-host.ts'
import { foldersOf } from './folders.ts'
import { asTheyAre, type InOrder } from './in-order.ts'
import { earliest } from './moments.ts'
import { notificationsOf } from './notifications.ts'
import { type Unseen, uncounted } from './unseen.ts'

/**
 * Merges plans that share no host.
 *
 * @param plans each with the totals of its hosts
 * @param unseen hosts that none of them covers
 */
export function mergePlans(
  plans: readonly Plan[],
  unseen: readonly Unseen[],
  inOrder: InOrder = asTheyAre,
  shards?: MergedShards,
): Plan {
  const [first] = plans
  if (first === undefined) throw new RangeError('there is no plan')
  const { schema, inventory } = first
  const unknown = unseen.map(({ host, problem }) => unreachableHost(host, problem))
  const hosts = inOrder([...plans.flatMap((plan) => plan.hosts), ...unknown])
  const total = totalOf([...plans.map(({ summary }) => summary), summaryOf(unknown)])
  const more = uncounted(unseen)
  const summary = { ...total, hosts: total.hosts + more, unreachable: total.unreachable + more }
  const rest = { inventory, ...factsFrom(foldersOf(plans), hosts), summary, hosts }
  return {
    schema,
    // Only JSON shows it, and all hosts must be read for it.
    get digest() {
      return digestOf({ schema, ...rest })
    },
    created_at: earliest(plans.map((plan) => plan.created_at)),
    ...rest,
    ...notificationsOf(plans),
    ...defined({ shards }),
  }
}
