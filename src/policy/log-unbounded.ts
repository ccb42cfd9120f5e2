import { globMatches } from '../lib/glob.ts'
import { shellQuote } from '../lib/shell-quote.ts'
import { labelOf, logPath } from '../managers/launchd/definition.ts'
import { unknown } from '../model/observed.ts'
import type { Rule } from './rule.ts'
import { inventoryLine, unknownWords } from './words.ts'

/** Kilobytes at which the rule that we advise begins a new file, and how many old ones it keeps. */
const advised = { sizeKb: 10_240, count: 5 } as const

export const logUnbounded: Rule = {
  code: 'LOG.UNBOUNDED',
  severity: 'warn',
  title: 'The log grows without bound.',
  explain:
    'The log file of a launchd agent is never rotated by launchd. A server that logs every request, or one that is started over and over, fills the ' +
    'disk in time. macOS has newsyslog for that: with a rule for the file in `/etc/newsyslog.d/*.conf` (newsyslog.conf(5)) this warning is ' +
    'gone. A server that runs writes on into the file that was put aside, until it is started again, so do not have the files compressed. ' +
    'Containers and systemd units log where sizes are bounded.',
  consentable: false,
  checkService({ fleet, service, host, facts }) {
    const { layout, rotatedLogs = unknown('not-gathered') } = facts
    if (service.manager !== 'launchd' || service.state === 'absent' || !layout.known) return []
    const log = logPath(service, layout.value)
    const isRotated =
      rotatedLogs.known && rotatedLogs.value.some(({ path, glob }) => (glob ? globMatches(path, log) : path === log))
    if (isRotated) return []
    const rule = `${log} ${layout.value.user}:staff 640 ${advised.count} ${advised.sizeKb} * N`
    const file = `/etc/newsyslog.d/${labelOf(service, fleet.settings.org)}.conf`
    return [
      {
        why: rotatedLogs.known
          ? `${service.name} on ${host.name} is a launchd agent, and no rule of newsyslog is about its log file.`
          : `${service.name} on ${host.name} is a launchd agent, and whether newsyslog has a rule for its log file could not be read (${unknownWords(rotatedLogs)}).`,
        evidence: [inventoryLine(service, ['manager'], `${service.name}: manager launchd`), `log file: ${log}`],
        next: [`On ${host.name}:  echo ${shellQuote([rule])} | sudo tee ${file}`],
      },
    ]
  },
}
