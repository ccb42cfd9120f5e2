import { StandIn } from '../../model/secret.ts'
import type { Rule } from '../rule.ts'
import { inventoryLine, referenceWords } from '../words.ts'

export const keyNotAsked: Rule = {
  code: 'KEY.NOT_ASKED',
  severity: 'warn',
  title: 'The key was not read.',
  explain:
    'A plan from a facts snapshot (`--facts`) may be made of an inventory that somebody else wrote, as in a pull request. So no command of it is run, ' +
    'no key file is read and no vault is opened: whether a key can be had there, and whether a server takes it, is unknown. Everything else ' +
    'is planned as if it could; whether the host had that key is told by what was found when the facts were gathered. ' +
    '`--run-secret-commands` asks for the keys of an inventory that you trust.',
  consentable: false,
  checkService({ key, service }) {
    if (service.key === undefined || 'env' in service.key || key?.known !== true || !(key.value instanceof StandIn)) return []
    const where = referenceWords(service.key)
    return [
      {
        why: `The key of ${service.name} on ${service.host} comes from ${where}, which was not asked: with --facts nothing of an inventory is run, and no file outside of it is read.`,
        evidence: [inventoryLine(service, ['api_key'], `${service.name}: api_key from ${where}, not asked`)],
        next: ['Call it with --run-secret-commands where you trust who wrote the inventory.'],
      },
    ]
  },
}
