import { isExposed } from '../../lib/addresses.ts'
import { speaksTls } from '../../servers/speaks-tls.ts'
import type { Rule } from '../rule.ts'
import { inventoryLine } from '../words.ts'

export const exposedNoTls: Rule = {
  code: 'EXPOSED.NO_TLS',
  severity: 'warn',
  title: 'The server is reachable from other machines without TLS.',
  explain:
    'The server listens on more than the loopback address and speaks plain HTTP. So its key and every conversation cross the network ' +
    'unencrypted. That may be acceptable on a home network. Otherwise bind it to 127.0.0.1 behind a proxy with TLS or an SSH tunnel.',
  consentable: false,
  checkInventory({ service }) {
    if (!isExposed(service.bind) || speaksTls(service)) return []
    return [
      {
        why: `${service.name} on ${service.host} listens on ${service.bind} and speaks plain HTTP.`,
        evidence: [inventoryLine(service, ['host'], `${service.name}: host ${service.bind}, port ${service.port}`)],
        next: ['Set host: 127.0.0.1 and put a TLS proxy in front, or accept it on your own network.'],
      },
    ]
  },
}
