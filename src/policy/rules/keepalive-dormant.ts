import { shell } from '../../lib/next-command.ts'
import { ownMember } from '../../lib/own-member.ts'
import type { Rule } from '../rule.ts'

export const keepaliveDormant: Rule = {
  code: 'KEEPALIVE.DORMANT',
  severity: 'warn',
  title: 'A launchd job may not be started again after a crash.',
  explain:
    'A job that was loaded over SSH, outside the desktop session, may have its automatic starts postponed without end: it runs now, and ' +
    'stays down after a crash although KeepAlive says otherwise. Load it from the desktop session, or start it by hand after a crash.',
  consentable: false,
  checkService({ fleet, service, host, facts }) {
    if (service.state !== 'running' || !facts.launchd.known) return []
    const { agents, managerName } = facts.launchd.value
    const label = `com.${fleet.settings.org}.${service.name}`
    const agent = ownMember(agents, label)
    if (agent === undefined) return []
    const crashed = agent.pid === null && agent.lastExit !== null && agent.lastExit !== 0
    const overSsh = agent.pid !== null && managerName.known && managerName.value !== 'Aqua'
    if (!crashed && !overSsh) return []
    return [
      {
        why: crashed
          ? `${label} on ${host.name} ended with ${agent.lastExit} and launchd has not started it again.`
          : `${label} on ${host.name} is seen from the session ${managerName.known ? managerName.value : ''}; if it was loaded from there, launchd may not start it again after a crash.`,
        evidence: [
          `pid: ${agent.pid ?? 'none'}, last exit: ${agent.lastExit ?? 'none'}`,
          `session: ${managerName.known ? managerName.value : 'unknown'}`,
        ],
        next: [shell(`launchctl kickstart gui/$(id -u)/${label}`, { say: `On ${host.name}, at the desktop:` })],
      },
    ]
  },
}
