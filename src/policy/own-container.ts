import { ownershipLabelKey } from '../managers/compose/project.ts'
import { ownershipLabelOf } from '../managers/ownership-label.ts'
import type { ServiceContext } from './rule.ts'

/** Whether the container with the service's name is managed. Names are unique in the whole engine, whatever file a container comes from. */
export function ownContainer({
  facts,
  service,
  fleet,
  manager,
}: Pick<ServiceContext, 'facts' | 'service' | 'fleet' | 'manager'>): 'none' | 'ours' | 'foreign' {
  if (!manager.isContainer || !facts.containers.known) return 'none'
  const { org } = fleet.settings
  const names = manager.asks(service, org).containers
  const found = facts.containers.value.containers.filter((one) => names.includes(one.name))
  if (found.length === 0) return 'none'
  return found.every((one) => one.labels[ownershipLabelKey] === ownershipLabelOf(org, service.name)) ? 'ours' : 'foreign'
}
