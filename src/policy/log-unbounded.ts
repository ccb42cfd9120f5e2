import type { Rule } from './rule.ts'
import { inventoryLine } from './words.ts'

export const logUnbounded: Rule = {
  code: 'LOG.UNBOUNDED',
  severity: 'warn',
  title: 'The log grows without bound.',
  explain:
    'The log file of a launchd agent is never rotated. A server that logs every request, or one that is started over and over, fills the ' +
    'disk in time. Add a rule for the log to newsyslog, or look after the file. Containers and systemd units log where sizes are bounded.',
  consentable: false,
  checkInventory({ service }) {
    if (service.manager !== 'launchd') return []
    return [
      {
        why: `${service.name} on ${service.host} is a launchd agent, and nothing bounds its log file.`,
        evidence: [inventoryLine(service, `${service.name}: manager launchd`)],
        next: ['Add the log file to /etc/newsyslog.d on the host.'],
      },
    ]
  },
}
