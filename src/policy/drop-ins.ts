import { ownMember } from '../lib/own-member.ts'
import type { ServiceContext } from './rule.ts'

/** Paths of the drop-ins of the service's own unit. systemd reads them after the unit that converge writes. */
export function dropInsOf({
  facts,
  manager,
  service,
  fleet,
}: Pick<ServiceContext, 'facts' | 'manager' | 'service' | 'fleet'>): readonly string[] {
  if (!facts.systemd.known) return []
  const { units } = facts.systemd.value
  const names = manager.asks(service, fleet.settings.org).units
  return names.flatMap((name) => (ownMember(units, name)?.dropIns ?? []).filter((path) => path.includes(`/${name}.d/`)))
}
