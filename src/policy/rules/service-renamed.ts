import { ownMember } from '../../lib/own-member.ts'
import type { NamedService } from '../../managers/manager.ts'
import { ownershipLabelOf } from '../../managers/ownership-label.ts'
import { hasField } from '../../managers/traits.ts'
import type { AppliedRecord } from '../../model/applied-record.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { Rule } from '../rule.ts'
import { inventoryLine } from '../words.ts'

export const serviceRenamed: Rule = {
  code: 'SERVICE.RENAMED',
  severity: 'refuse',
  title: 'The unit or agent of the service has another name on the host.',
  explain:
    'The service was applied as a unit or agent of another name, which may still exist. converge does not rename it: the old one would start at ' +
    'every boot, beside the new one. Remove it first: set `state: absent` and `unit` or `label` to the old name, then apply. After that, set the ' +
    'new name.',
  consentable: false,
  checkService({ service, host, facts, fleet, manager }) {
    const { org } = fleet.settings
    const field = (['unit', 'label'] as const).find((one) => hasField(service.manager, one))
    const record = facts.applied.known ? ownMember(facts.applied.value, service.name) : undefined
    if (field === undefined || record?.mark !== ownershipLabelOf(org, service.name) || isOfOther(record, service.manager))
      return []
    const [former, desired] = [manager.nameOf(asRecorded(record), org), manager.nameOf(service, org)]
    if (former === desired || isGone(field, former, facts)) return []
    return [
      {
        why: `${service.name} was applied on ${host.name} as ${former}. The inventory now names it ${desired}.`,
        evidence: [
          `${former}${stateOf(former, facts)}, applied at ${record.appliedAt}`,
          inventoryLine(service, [field], `${service.name}: ${field} ${desired}`),
        ],
        next: [
          `To keep it, set \`${field}: ${former}\` for ${service.name}.`,
          'To rename it, also set `state: absent` and apply; then set the new name.',
        ],
      },
    ]
  },
}

/** Records of earlier versions name no manager. */
function isOfOther({ wanted }: AppliedRecord, manager: string): boolean {
  return wanted['manager'] !== undefined && wanted['manager'] !== manager
}

function asRecorded({ service, wanted: { unit, label } }: AppliedRecord): NamedService {
  return {
    name: service,
    ...(typeof unit === 'string' ? { unit } : {}),
    ...(typeof label === 'string' ? { label } : {}),
  }
}

/** Whether the supervisor is known to have nothing of that name. */
function isGone(field: 'unit' | 'label', former: string, { systemd, launchd }: HostFacts): boolean {
  if (field === 'unit') {
    const seen = systemd.known ? ownMember(systemd.value.units, former) : null
    return seen === undefined || seen?.loadState === 'not-found'
  }
  return (
    launchd.known &&
    ownMember(launchd.value.agents, former) === undefined &&
    ownMember(launchd.value.markedAs ?? {}, former) === undefined
  )
}

function stateOf(former: string, { systemd, launchd }: HostFacts): string {
  const unit = systemd.known ? ownMember(systemd.value.units, former) : undefined
  const agent = launchd.known ? ownMember(launchd.value.agents, former) : undefined
  if (agent !== undefined) return agent.pid === null ? ': loaded' : `: runs as pid ${agent.pid}`
  return unit === undefined ? '' : `: ${unit.activeState}`
}
