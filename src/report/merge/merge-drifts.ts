import { documentOf } from '../../drift/compare-fleet.ts'
import type { DriftDocument, StaleIgnore } from '../../model/drift.ts'
import { foldersOf } from './folders.ts'
import { earliest } from './moments.ts'
import { notificationsOf } from './notifications.ts'

/** One comparison of several that share no host. */
export function mergeDrifts(drifts: readonly DriftDocument[]): DriftDocument {
  const [first] = drifts
  if (first === undefined) throw new RangeError('there is no comparison')
  const folder = foldersOf(drifts)
  const merged = documentOf({
    inventory: first.inventory,
    ...(folder === undefined ? {} : { factsFolder: folder }),
    hosts: drifts.flatMap(({ hosts }) => hosts),
    stale: staleIn(drifts),
    now: earliest(drifts.map((one) => one.created_at)),
  })
  return { ...merged, ...notificationsOf(drifts) }
}

/** An entry may be of no use for some of the hosts; it is stale where every part says so. One that ran out has for all. */
function staleIn(drifts: readonly DriftDocument[]): readonly StaleIgnore[] {
  const all = drifts.flatMap(({ stale_ignores: stale }) => stale)
  const alike = Map.groupBy(all, ({ file, line, state }) => JSON.stringify([file, line, state]))
  return [...alike.values()].flatMap(([one, ...others]) =>
    one !== undefined && (one.state === 'expired' || others.length + 1 === drifts.length) ? [one] : [],
  )
}
