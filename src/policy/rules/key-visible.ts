import type { Rule } from '../rule.ts'
import { inventoryLine } from '../words.ts'

export const keyVisible: Rule = {
  code: 'KEY.VISIBLE',
  severity: 'warn',
  title: 'The key is visible in the definition and in the process list.',
  explain:
    'With `key_delivery: inline`, the key is part of the definition file. Everyone on the host can read it there or in the output of `ps`, ' +
    '`docker inspect` or `systemctl show`. `key_delivery: file` (the default) keeps it in a file that only the server reads.',
  consentable: false,
  checkInventory({ service }) {
    if (service.key === undefined || service.keyDelivery !== 'inline') return []
    return [
      {
        why: `The key of ${service.name} is delivered inline, so every user of ${service.host} can read it.`,
        evidence: [inventoryLine(service, ['key_delivery'], `${service.name}: key_delivery inline`)],
        next: [`Set key_delivery: file for ${service.name}.`],
      },
    ]
  },
}
