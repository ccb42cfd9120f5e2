import { isPinnedImage } from '../../lib/image-name.ts'
import { converge, shell } from '../../lib/next-command.ts'
import { ownMember } from '../../lib/own-member.ts'
import type { Rule } from '../rule.ts'
import { inventoryLine } from '../words.ts'

export const imageRegistryUnknown: Rule = {
  code: 'IMAGE.REGISTRY_UNKNOWN',
  severity: 'warn',
  title: 'The registry of an image gave no answer.',
  explain:
    '`converge upgrade` asks the registry, from the host, which image it has under the name in the inventory. Without an answer it upgrades only to ' +
    'an image that is on the host already. The host needs a network that reaches the registry, and for a private one a login (`docker login`) of the ' +
    'account that runs the commands.',
  consentable: false,
  checkService({ upgrade, service, host, manager }) {
    const { image } = service
    if (upgrade === undefined || !manager.isContainer || service.state !== 'running') return []
    if (image === undefined || isPinnedImage(image)) return []
    const answer = ownMember(upgrade.registry, image)
    if (answer?.known === true) return []
    const because = answer === undefined ? 'it was not asked' : (answer.detail ?? answer.because)
    return [
      {
        why: `Whether a newer ${image} exists for ${service.name} on ${host.name} is unknown: ${because}.`,
        evidence: [inventoryLine(service, ['image'], `${service.name}: image ${image}`)],
        next: [
          shell(`docker pull ${image}`, { say: `To see the error, or to pull it by hand, on ${host.name}:` }),
          converge(['upgrade', `${service.name}@${host.name}`], { say: 'Then:' }),
        ],
      },
    ]
  },
}
