import { isOfMacs } from '../../managers/traits.ts'
import { serverKinds } from '../../servers/index.ts'
import type { Rule } from '../rule.ts'
import { inventoryLine } from '../words.ts'

export const portOutsideConvention: Rule = {
  code: 'PORT.OUTSIDE_CONVENTION',
  severity: 'warn',
  title: 'The port is unusual for this kind of server.',
  explain:
    'The rule compares the port with the convention. Kind A uses 9990 to 9995 on macOS, and 9996 on Linux and NAS. Kind B uses 9997 and 9998. ' +
    'Another port works as well; document it where your team looks.',
  consentable: false,
  checkInventory({ service }) {
    const [low, high] = serverKinds[service.kind].usualPorts(isOfMacs(service.manager) ? 'macos' : 'linux')
    if (service.port >= low && service.port <= high) return []
    const usual = low === high ? `${low}` : `${low} to ${high}`
    return [
      {
        why: `${service.name} on ${service.host} listens on ${service.port}. Such servers usually use ${usual}.`,
        evidence: [inventoryLine(service, ['port'], `${service.name}: port ${service.port}`)],
        next: [`Use ${usual}, or keep the port and document it.`],
      },
    ]
  },
}
