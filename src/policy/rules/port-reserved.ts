import type { Rule } from '../rule.ts'
import { fleetLine, inventoryLine } from '../words.ts'

export const portReserved: Rule = {
  code: 'PORT.RESERVED',
  severity: 'refuse',
  title: 'The port is reserved.',
  explain:
    'The service asks for a port that the fleet reserves (`fleet.ports.reserved`). Something else on such machines uses it: the web proxy of a ' +
    'NAS vendor, or another local model runner. Give the service another port.',
  consentable: false,
  checkInventory({ fleet, service }) {
    if (!fleet.settings.ports.reserved.includes(service.port)) return []
    return [
      {
        why: `${service.name} on ${service.host} asks for port ${service.port}, which \`fleet.ports.reserved\` reserves for something else.`,
        evidence: [
          inventoryLine(service, ['port'], `${service.name}: port ${service.port}`),
          fleetLine(fleet, ['ports', 'reserved'], `fleet.ports.reserved: ${fleet.settings.ports.reserved.join(', ')}`),
        ],
        next: [`Give ${service.name} a free port from ${fleet.settings.ports.min} upward.`],
      },
    ]
  },
}
