import { converge } from '../../lib/next-command.ts'
import { stableJson } from '../../lib/stable-json.ts'
import { recordedOverride } from '../../simulate/effective-host.ts'
import { endOf, overrideWords } from '../override-words.ts'
import type { Rule } from '../rule.ts'

export const overrideActive: Rule = {
  code: 'OVERRIDE.ACTIVE',
  severity: 'warn',
  title: 'A person asked for a state other than that in the inventory.',
  explain:
    'Someone stopped or started the service with `--until`, or with `converge use`. Until that ends, apply leaves it in that state, and drift ' +
    'does not report it. The host has a record of who asked for it, when and why. `converge start` or `converge stop` ends it early.',
  consentable: false,
  checkService({ service, host, facts }) {
    const { override } = service
    if (override === undefined) return []
    const { inventory, ...asked } = override
    // What is asked for right now needs no warning.
    if (stableJson(recordedOverride(service, facts) ?? null) !== stableJson(asked)) return []
    return [
      {
        summary: `To be ${overrideWords(override)}. The inventory wants it ${inventory}.`,
        why: `${service.name} on ${host.name} is to be ${overrideWords(override)}. ${endOf(override)}`,
        evidence: [`asked for at ${override.since}`],
        next: [converge([inventory === 'running' ? 'start' : 'stop', `${service.name}@${host.name}`], { say: 'To end it now:' })],
      },
    ]
  },
}
