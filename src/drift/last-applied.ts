import { momentMs } from '../lib/moment.ts'
import { ownMember } from '../lib/own-member.ts'
import { ownershipLabelOf } from '../managers/ownership-label.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Host } from '../model/fleet.ts'

/**
 * When a service of this fleet was last applied to a host, from its records: ISO 8601. Undefined: never, or unknown. The records are on the host,
 * where others can edit them, so invalid times are ignored.
 */
export function lastApplied({ services }: Host, org: string, { applied }: Pick<HostFacts, 'applied'>): string | undefined {
  if (!applied.known) return undefined
  const moments = services.flatMap(({ name }) => {
    const record = ownMember(applied.value, name)
    const moment = record?.mark === ownershipLabelOf(org, name) ? momentMs(record.appliedAt) : Number.NaN
    return Number.isNaN(moment) ? [] : [moment]
  })
  return moments.length === 0 ? undefined : new Date(Math.max(...moments)).toISOString()
}
