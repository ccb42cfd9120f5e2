import { shell } from '../../lib/next-command.ts'
import { shellQuote } from '../../lib/shell-quote.ts'
import { labelOf } from '../../managers/launchd/definition.ts'
import { domainOf, domainWords } from '../../managers/launchd/domain.ts'
import { fleetLogRule, isRotated, logRuleLine } from '../../managers/launchd/log-rule.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { Host, Service } from '../../model/fleet.ts'
import { unknown } from '../../model/observed.ts'
import type { Rule } from '../rule.ts'
import { inventoryLine, unknownWords } from '../words.ts'

export const logUnbounded: Rule = {
  code: 'LOG.UNBOUNDED',
  severity: 'warn',
  title: 'The log grows without bound.',
  explain:
    'The log file of a launchd job grows without limit, because launchd never rotates it. A server that logs every request, or restarts over ' +
    'and over, fills the disk in time. On macOS, newsyslog rotates logs: a rule for the file in `/etc/newsyslog.d/*.conf` (newsyslog.conf(5)) ' +
    'clears this warning. With `rotate_logs: true` for a host, `converge apply` writes one, as root; a rule from another source works as well. A ' +
    'running server keeps writing to the rotated file until it restarts, so do not have the files compressed. Containers and systemd units log ' +
    'where sizes are limited.',
  consentable: false,
  checkService({ fleet, service, host, facts, manager }) {
    const { layout, rotatedLogs = unknown('not-gathered') } = facts
    if (service.state === 'absent' || !layout.known) return []
    const log = manager.logFile?.(service, layout.value)
    if (log === undefined) return []
    if (rotatedLogs.known && isRotated(log, rotatedLogs.value)) return []
    const what = domainWords[domainOf(service)].job
    const rule = logRuleLine(service, layout.value, 'N')
    const file = `/etc/newsyslog.d/${labelOf(service, fleet.settings.org)}.conf`
    return [
      {
        why: rotatedLogs.known
          ? `${service.name} on ${host.name} is a launchd ${what}, and newsyslog has no rule for its log file.`
          : `${service.name} on ${host.name} is a launchd ${what}, and whether newsyslog has a rule for its log file is unknown (${unknownWords(rotatedLogs)}).`,
        evidence: [inventoryLine(service, ['manager'], `${service.name}: manager launchd`), `log file: ${log}`],
        next: [
          shell(`echo ${shellQuote([rule])} | sudo tee -a ${file}`, { say: `On ${host.name}:` }),
          ...applyHint(host, service, { org: fleet.settings.org, facts }),
        ],
      },
    ]
  },
}

/** One action of the machine itself writes a rule for all of its logs, if newsyslog can name them. */
function applyHint(
  { name, rotateLogs }: Host,
  service: Service,
  { org, facts: { layout, rotatedLogs } }: { readonly org: string; readonly facts: HostFacts },
): readonly string[] {
  const rule = layout.known ? fleetLogRule(org, layout.value, [service]) : undefined
  if (!layout.known || rule === undefined) return []
  // That action would be refused, because a rule may exist already.
  if (rotateLogs === true && rotatedLogs?.known !== true) return []
  if (rotateLogs === true)
    return [`Or run \`converge apply\`: it writes a rule into ${rule.path}, with the other settings of ${name}.`]
  const become = layout.value.effectiveUid === 0 ? '' : ' and ansible_become: true'
  return [
    `Or set rotate_logs: true${become} for ${name}: \`converge apply\` then writes one rule for the logs of all its services.`,
  ]
}
