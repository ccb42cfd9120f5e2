import type { Rule } from '../rule.ts'
import { fleetLine, inventoryLine } from '../words.ts'

export const portBelowMin: Rule = {
  code: 'PORT.BELOW_MIN',
  severity: 'refuse',
  title: "The port lies below the fleet's range.",
  explain:
    'The service asks for a port below `fleet.ports.min` (default: 9990). Services take ports from there upward, one each. People then know where ' +
    'model servers are, and other programs do not collide with them. Give the service a port in the range, or lower the minimum.',
  consentable: false,
  checkInventory({ fleet, service }) {
    const { min } = fleet.settings.ports
    if (service.port >= min) return []
    return [
      {
        why: `${service.name} on ${service.host} asks for port ${service.port}, which is below \`fleet.ports.min\` (${min}).`,
        evidence: [
          inventoryLine(service, ['port'], `${service.name}: port ${service.port}`),
          fleetLine(fleet, ['ports', 'min'], `fleet.ports.min: ${min}`),
        ],
        next: [
          `Give ${service.name} a free port from ${min} upward.`,
          `Or lower the minimum for the whole fleet, in ${fleet.source?.keys['ports.min']?.file ?? 'group_vars/all.yaml'}:  fleet: { ports: { min: ${service.port} } }`,
        ],
      },
    ]
  },
}
