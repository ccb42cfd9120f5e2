import { shell } from '../../lib/next-command.ts'
import { ownMember } from '../../lib/own-member.ts'
import type { LaunchAgent } from '../../model/launchd-fact.ts'
import type { Observed } from '../../model/observed.ts'
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
    if (service.state !== 'running' || !facts.launchd.known) return []
    const { agents, managerName } = facts.launchd.value
    const label = manager.nameOf(service, fleet.settings.org)
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

/** The sign that launchd may not restart a job; undefined: there is none. */
function signOf({ pid, lastExit }: LaunchAgent, session: Observed<string>): string | undefined {
  if (pid === null)
    return lastExit === null || lastExit === 0 ? undefined : `exited with ${lastExit}, and launchd has not restarted it`
  if (!session.known || session.value === 'Aqua') return undefined
  return `is visible from the session ${session.value}. If it was loaded there, launchd may not restart it after a crash`
}
