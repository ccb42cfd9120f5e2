import { converge } from '../../lib/next-command.ts'
import { needsSession } from '../../managers/traits.ts'
import type { Rule } from '../rule.ts'

export const sessionNone: Rule = {
  code: 'SESSION.NONE',
  severity: 'refuse',
  title: 'No user is logged in at the console.',
  explain:
    'The user of this launchd agent is not logged in at the Mac’s own screen. The agent exists only during that login, in the graphical session. ' +
    'Over SSH alone, launchd has no such session for it (exit codes 125 and 112). Log in at the console, set up automatic login, or set ' +
    '`domain: system`: the server is then a daemon, which starts with the Mac without a login.',
  consentable: false,
  checkService({ service, host, facts }) {
    if (!needsSession(service) || !facts.layout.known) return []
    const { consoleUser, user } = facts.layout.value
    if (consoleUser === user) return []
    if (consoleUser === undefined) {
      return [
        {
          code: 'FACT.UNKNOWN',
          why: `The console user of ${host.name} could not be read, so it is unknown whether ${service.name} has a session to run in.`,
          evidence: ['console user: unknown'],
          next: [converge(['facts', '--limit', host.name])],
        },
      ]
    }
    return [
      {
        why: `${service.name} is an agent of ${user}, but ${consoleUser === null ? 'no user' : consoleUser} is logged in at the console of ${host.name}.`,
        evidence: [`console user: ${consoleUser ?? 'none'}`, `account: ${user}`],
        next: [
          `Log in as ${user} at the screen of ${host.name}, then plan again.`,
          `Or set domain: system for ${service.name}${facts.layout.value.effectiveUid === 0 ? '' : ` and ansible_become: true for ${host.name}`}: it is then a daemon, which runs without a login, also after a restart of the Mac.`,
        ],
      },
    ]
  },
}
