import { ownMember } from '../../lib/own-member.ts'
import { ownershipLabelOf } from '../../managers/ownership-label.ts'
import { unitName } from '../../managers/systemd/definition.ts'
import { hasField } from '../../managers/traits.ts'
import { recordedUnit } from '../../simulate/orphaned.ts'
import type { Rule } from '../rule.ts'
import { inventoryLine } from '../words.ts'

export const unitRenamed: Rule = {
  code: 'UNIT.RENAMED',
  severity: 'refuse',
  title: 'The unit of the service has another name on the host.',
  explain:
    'The service was applied with a unit of another name, which still exists. converge does not rename a unit: the old one would start at every ' +
    'boot, beside the new one. Remove it first: set `state: absent` and `unit` to the old name, then apply. After that, set the new name.',
  consentable: false,
  checkService({ service, host, facts, fleet }) {
    if (!hasField(service.manager, 'unit') || !facts.applied.known || !facts.systemd.known) return []
    const record = ownMember(facts.applied.value, service.name)
    if (record?.mark !== ownershipLabelOf(fleet.settings.org, service.name)) return []
    const [former, desired] = [recordedUnit(record), unitName(service)]
    const seen = ownMember(facts.systemd.value.units, former)
    if (former === desired || seen === undefined || seen.loadState === 'not-found') return []
    return [
      {
        why: `${service.name} was applied on ${host.name} as ${former}, which still exists. The inventory now names it ${desired}.`,
        evidence: [
          `${former}: ${seen.activeState}, applied at ${record.appliedAt}`,
          inventoryLine(service, ['unit'], `${service.name}: unit ${desired}`),
        ],
        next: [
          `To keep it, set \`unit: ${former}\` for ${service.name}.`,
          'To rename it, also set `state: absent` and apply; then set the new name.',
        ],
      },
    ]
  },
}
