import { StandIn } from '../../model/secret.ts'
import type { Rule } from '../rule.ts'
import { inventoryLine, referenceWords } from '../words.ts'

export const keyNotAsked: Rule = {
  code: 'KEY.NOT_ASKED',
  severity: 'warn',
  title: 'The key was not read.',
  explain:
    'A plan from a facts snapshot (`--facts`) may use an inventory that another person wrote, as in a pull request. So converge runs none of its ' +
    'commands, reads no key file and opens no vault. Whether the key is available, and whether a server accepts it, is unknown. Everything else ' +
    'is planned as if both were true. Whether the host had that key is known from when the facts were gathered. `--run-secret-commands` resolves ' +
    'the keys of an inventory that you trust.',
  consentable: false,
  checkService({ key, service }) {
    if (service.key === undefined || 'env' in service.key || key?.known !== true || !(key.value instanceof StandIn)) return []
    const where = referenceWords(service.key)
    return [
      {
        why: `The key of ${service.name} on ${service.host} was not read from ${where}. With --facts, converge runs no command of an inventory and reads no file outside it.`,
        evidence: [inventoryLine(service, ['api_key'], `${service.name}: api_key from ${where}, not read`)],
        next: ['Run with --run-secret-commands if you trust the inventory.'],
      },
    ]
  },
}
