import type { Rule } from './rule.ts'
import { inventoryLine } from './words.ts'

export const privilegeMissing: Rule = {
  code: 'PRIVILEGE.MISSING',
  severity: 'refuse',
  title: 'The account may not change what this manager manages.',
  explain:
    'System units are written, enabled and started by root. The account that converge uses on the host is another one and becomes nobody ' +
    'else. Set `ansible_become: true` for the host, or connect as root.',
  consentable: false,
  checkAction({ service, host, facts }) {
    if (service.manager !== 'systemd' || !facts.layout.known || facts.layout.value.effectiveUid === 0) return []
    const { user, effectiveUid } = facts.layout.value
    return [
      {
        why: `${service.name} on ${host.name} is a system unit, and the commands run there as ${user} (uid ${effectiveUid}), not as root.`,
        evidence: [
          inventoryLine(host, `${host.name}: ansible_become ${host.connection.become}`),
          `commands run as uid ${effectiveUid}`,
        ],
        next: [`Set ansible_become: true for ${host.name} (and see that ${user} may use sudo there).`],
      },
    ]
  },
}
