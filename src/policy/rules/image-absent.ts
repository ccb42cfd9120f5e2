import { shell } from '../../lib/next-command.ts'
import { ownMember } from '../../lib/own-member.ts'
import type { Rule } from '../rule.ts'
import { inventoryLine } from '../words.ts'

export const imageAbsent: Rule = {
  code: 'IMAGE.ABSENT',
  severity: 'warn',
  title: 'The image is not on the host and will be downloaded.',
  explain:
    'Compose downloads a missing image when it creates the container. That takes time, disk space and a network that reaches the registry. To ' +
    'save that time later, download the image beforehand.',
  consentable: false,
  checkAction({ service, host, facts, manager, fleet, action }) {
    if (action.kind === 'stop' || action.kind === 'remove') return []
    if (!manager.isContainer || !facts.containers.known) return []
    const { images } = facts.containers.value
    const absent = manager.asks(service, fleet.settings.org).images.filter((image) => ownMember(images, image) === false)
    return absent.map((image) => ({
      why: `${service.name} on ${host.name} needs the image ${image}, which is not on the host. apply downloads it first.`,
      evidence: [inventoryLine(service, ['image'], `${service.name}: image ${image}`), `${host.name}: no image ${image}`],
      next: [shell(`docker pull ${image}`, { say: `To download it now, on ${host.name}:` })],
    }))
  },
}
