import { shell } from '../../lib/next-command.ts'
import { ownMember } from '../../lib/own-member.ts'
import { domainOf } from '../../managers/launchd/domain.ts'
import { seenJobs } from '../../managers/launchd/seen.ts'
import { hasField } from '../../managers/traits.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { LaunchAgent } from '../../model/launchd-fact.ts'
import type { LaunchdDomain } from '../../model/names.ts'
import { known, type Observed } from '../../model/observed.ts'
import type { Rule } from '../rule.ts'

export const keepaliveDormant: Rule = {
  code: 'KEEPALIVE.DORMANT',
  severity: 'warn',
  title: 'A launchd job may not be restarted after a crash.',
  explain:
    'A job that was loaded over SSH, outside the desktop session, may have its automatic starts postponed indefinitely. It runs now, but stays ' +
    'down after a crash although KeepAlive says otherwise. Load it from the desktop session, or start it by hand after a crash.',
  consentable: false,
  checkService({ fleet, service, host, facts, manager }) {
    const domain = domainOf(service)
    const jobs = seenJobs(facts, domain)
    if (service.state !== 'running' || !hasField(service.manager, 'domain') || !jobs.known) return []
    const label = manager.nameOf(service, fleet.settings.org)
    const agent = ownMember(jobs.value.agents, label)
    const session = sessionOf(domain, facts)
    const sign = agent && signOf(agent, session)
    if (agent === undefined || sign === undefined) return []
    return [
      {
        why: `${label} on ${host.name} ${sign}.`,
        evidence: [
          `pid: ${agent.pid ?? 'none'}, last exit: ${agent.lastExit ?? 'none'}`,
          ...(domain === 'system' ? [] : [`session: ${session.known ? session.value : 'unknown'}`]),
        ],
        next: [
          domain === 'system'
            ? shell(`sudo launchctl kickstart system/${label}`, { say: `On ${host.name}:` })
            : shell(`launchctl kickstart gui/$(id -u)/${label}`, { say: `On ${host.name}, at the desktop:` }),
        ],
      },
    ]
  },
}

/** Which session loads a daemon makes no difference. */
function sessionOf(domain: LaunchdDomain, { launchd }: Pick<HostFacts, 'launchd'>): Observed<string> {
  return domain === 'system' || !launchd.known ? known('Aqua') : launchd.value.managerName
}

/** The sign that launchd may not restart a job; undefined: there is none. */
function signOf({ pid, lastExit }: LaunchAgent, session: Observed<string>): string | undefined {
  if (pid === null)
    return lastExit === null || lastExit === 0 ? undefined : `exited with ${lastExit}, and launchd has not restarted it`
  if (!session.known || session.value === 'Aqua') return undefined
  return `is visible from the session ${session.value}. If it was loaded there, launchd may not restart it after a crash`
}
