import { ownMember } from '../../lib/own-member.ts'
import { allJobs, seenJobs } from '../../managers/launchd/seen.ts'
import { ownershipLabelOf } from '../../managers/ownership-label.ts'
import { recordedName } from '../../managers/recorded-name.ts'
import { hasField } from '../../managers/traits.ts'
import type { AppliedRecord } from '../../model/applied-record.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { Rule } from '../rule.ts'
import { inventoryLine } from '../words.ts'

export const serviceRenamed: Rule = {
  code: 'SERVICE.RENAMED',
  severity: 'refuse',
  title: 'The unit, agent or container of the service has another name on the host.',
  explain:
    'The service was applied as a unit, agent or container of another name, or in another compose file, and may still exist there. converge does ' +
    'not rename it: the old one would start at every boot, beside the new one. Remove it first: set `state: absent` and the former name (`unit`, ' +
    '`label`, or `container`, `project` and `file`), then apply. After that, set the new name.',
  consentable: false,
  checkService({ service, host, facts, fleet, manager }) {
    const { org } = fleet.settings
    const field = (['unit', 'label', 'container'] as const).find((one) => hasField(service.manager, one))
    const record = facts.applied.known ? ownMember(facts.applied.value, service.name) : undefined
    if (field === undefined || record?.mark !== ownershipLabelOf(org, service.name) || isOfOther(record, service.manager))
      return []
    const [former, desired] = [manager.nameOf(recordedName(record), org), manager.nameOf(service, org)]
    if (former === desired || isGone(field, former, facts)) return []
    return [
      {
        why: `${service.name} was applied on ${host.name} as ${former}. The inventory now names it ${desired}.`,
        evidence: [
          `${former}${stateOf(former, facts)}, applied at ${record.appliedAt}`,
          inventoryLine(service, [field], `${service.name}: ${field} ${desired}`),
        ],
        next: [
          field === 'container'
            ? `To keep it, restore \`container\`, \`project\`, \`file\` and \`file_service\` of ${service.name}.`
            : `To keep it, set \`${field}: ${former}\` for ${service.name}.`,
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

/** Whether the supervisor is known to have nothing of that name. */
function isGone(field: 'unit' | 'label' | 'container', former: string, facts: HostFacts): boolean {
  const { systemd } = facts
  // The probe does not ask for a former file.
  if (field === 'container') return false
  if (field === 'unit') {
    const seen = systemd.known ? ownMember(systemd.value.units, former) : null
    return seen === undefined || seen?.loadState === 'not-found'
  }
  return (['gui', 'system'] as const).every((domain) => {
    const jobs = seenJobs(facts, domain)
    return (
      jobs.known &&
      ownMember(jobs.value.agents, former) === undefined &&
      ownMember(jobs.value.markedAs ?? {}, former) === undefined
    )
  })
}

function stateOf(former: string, facts: HostFacts): string {
  const { systemd } = facts
  const unit = systemd.known ? ownMember(systemd.value.units, former) : undefined
  const agent = allJobs(facts).find(({ label }) => label === former)
  if (agent !== undefined) return agent.pid === null ? ': loaded' : `: runs as pid ${agent.pid}`
  return unit === undefined ? '' : `: ${unit.activeState}`
}
