import { documentOf, unseenHost } from '../../drift/compare-fleet.ts'
import { defined } from '../../lib/defined.ts'
import type { DriftDocument, StaleIgnore } from '../../model/drift.ts'
import { foldersOf } from './folders.ts'
import { asTheyAre, type InOrder } from './in-order.ts'
import { earliest } from './moments.ts'
import { notificationsOf } from './notifications.ts'
import { type Unseen, uncounted } from './unseen.ts'

/**
 * Merges comparisons that share no host.
 *
 * @param unseen hosts that none of them covers
 */
export function mergeDrifts(
  drifts: readonly DriftDocument[],
  unseen: readonly Unseen[],
  inOrder: InOrder = asTheyAre,
): DriftDocument {
  const [first] = drifts
  if (first === undefined) throw new RangeError('there is no comparison')
  const folder = foldersOf(drifts)
  const merged = documentOf({
    inventory: first.inventory,
    ...defined({ factsFolder: folder }),
    hosts: inOrder([...drifts.flatMap(({ hosts }) => hosts), ...unseen.map(({ host, problem }) => unseenHost(host, problem))]),
    stale: staleIn(drifts),
    now: earliest(drifts.map((one) => one.created_at)),
  })
  const { summary } = merged
  const more = uncounted(unseen)
  const counted = { ...summary, hosts: summary.hosts + more, unreachable: summary.unreachable + more }
  return { ...merged, summary: counted, ...notificationsOf(drifts) }
}

/** Each stale entry once. A comparison of part of the fleet cannot detect unused entries, so these have expired. */
function staleIn(drifts: readonly DriftDocument[]): readonly StaleIgnore[] {
  const all = drifts.flatMap(({ stale_ignores: stale }) => stale)
  return [...new Map(all.map((one) => [JSON.stringify([one.file, one.line, one.state]), one])).values()]
}
