import { shell } from '../../lib/next-command.ts'
import { ownMember } from '../../lib/own-member.ts'
import type { LaunchAgent } from '../../model/launchd-fact.ts'
import type { Observed } from '../../model/observed.ts'
import type { Rule } from '../rule.ts'

export const keepaliveDormant: Rule = {
  code: 'KEEPALIVE.DORMANT',
  severity: 'warn',
  title: 'A launchd job is possibly not restarted after a crash.',
  explain:
    'A job that was loaded over SSH, outside the desktop session, may have its automatic starts postponed indefinitely. It runs now, but stays ' +
    'down after a crash although KeepAlive says otherwise. Load it from the desktop session, or start it by hand after a crash.',
  consentable: false,
  checkService({ fleet, service, host, facts }) {
    if (service.state !== 'running' || !facts.launchd.known) return []
    const { agents, managerName } = facts.launchd.value
    const label = `com.${fleet.settings.org}.${service.name}`
    const agent = ownMember(agents, label)
    const sign = agent && signOf(agent, managerName)
    if (agent === undefined || sign === undefined) return []
    return [
      {
        why: `${label} on ${host.name} ${sign}.`,
        evidence: [
          `pid: ${agent.pid ?? 'none'}, last exit: ${agent.lastExit ?? 'none'}`,
          `session: ${managerName.known ? managerName.value : 'unknown'}`,
        ],
        next: [shell(`launchctl kickstart gui/$(id -u)/${label}`, { say: `On ${host.name}, at the desktop:` })],
      },
    ]
  },
}

/** What shows that launchd may not start a job again; undefined: nothing does. */
function signOf({ pid, lastExit }: LaunchAgent, session: Observed<string>): string | undefined {
  if (pid === null)
    return lastExit === null || lastExit === 0 ? undefined : `ended with ${lastExit} and launchd has not started it again`
  if (!session.known || session.value === 'Aqua') return undefined
  return `is seen from the session ${session.value}; if it was loaded from there, launchd may not start it again after a crash`
}
