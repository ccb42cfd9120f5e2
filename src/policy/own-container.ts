import { comesFromFile } from '../managers/compose/names.ts'
import { ownershipLabelKey } from '../managers/compose/project.ts'
import { seenContainer } from '../managers/compose/seen.ts'
import { ownershipLabelOf } from '../managers/ownership-label.ts'
import type { ServiceContext } from './rule.ts'

/**
 * Whether the container with the service's name is managed. Names are unique in the whole engine, whatever file a container comes from.
 * `same`: it is not, but it comes from the user's own file that the service is in.
 */
export function ownContainer({
  facts,
  service,
  fleet,
  manager,
}: Pick<ServiceContext, 'facts' | 'service' | 'fleet' | 'manager'>): 'none' | 'ours' | 'same' | 'foreign' {
  if (!manager.isContainer) return 'none'
  const seen = seenContainer(service, facts)
  if (!seen.known || seen.value === null) return 'none'
  if (seen.value.labels[ownershipLabelKey] === ownershipLabelOf(fleet.settings.org, service.name)) return 'ours'
  return comesFromFile(seen.value, service) ? 'same' : 'foreign'
}
