import type { Rule } from '../rule.ts'
import { inventoryLine } from '../words.ts'

export const portDuplicate: Rule = {
  code: 'PORT.DUPLICATE',
  severity: 'refuse',
  title: 'Two services of one host share a port.',
  explain:
    'Two services of one host name the same port, but a port serves one model. The two cannot run together, and swapping models behind one ' +
    'address surprises their clients. The service that comes first in the inventory keeps the port. Give the other its own.',
  consentable: false,
  checkInventory({ host, service }) {
    const first = host.services.find((one) => one.state !== 'absent' && one.port === service.port)
    if (first === undefined || first.name === service.name) return []
    return [
      {
        why: `${service.name} and ${first.name} on ${host.name} both use port ${service.port}. A port serves one model.`,
        evidence: [
          inventoryLine(first, ['port'], `${first.name}: port ${first.port}`),
          inventoryLine(service, ['port'], `${service.name}: port ${service.port}`),
        ],
        next: [`Give ${service.name} a port of its own.`, `Or set \`state: absent\` for ${first.name}.`],
      },
    ]
  },
}
