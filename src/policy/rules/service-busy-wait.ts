import { converge } from '../../lib/next-command.ts'
import type { Rule } from '../rule.ts'
import { cutOffBy } from './service-busy.ts'

export const serviceBusyWait: Rule = {
  code: 'SERVICE.BUSY_WAIT',
  severity: 'warn',
  title: 'The server is busy; apply waits for it.',
  explain:
    'With `--wait-idle` a server that works on a request is not refused (SERVICE.BUSY) but waited for: under the lock of its host, before ' +
    'anything is written, and once more at the moment it would be interrupted. As soon as it works on nothing the action is done; when ' +
    'the time is up it is not (APPLY.STILL_BUSY), and the old server goes on serving. A request that arrives between that last look and ' +
    'the stop, a moment later, is cut off all the same. No server is told to take no more requests.',
  consentable: false,
  checkAction(context) {
    const { action, service, host } = context
    const cut = cutOffBy(context)
    if (cut === undefined || action.wait_idle_s === undefined) return []
    return [
      {
        why: `${service.name} on ${host.name} is working on ${cut.words}; to ${action.kind} it waits until that is over.`,
        evidence: [cut.evidence],
        next: [converge(['plan', '--limit', host.name], { say: 'Or wait until it is idle, then plan again:' })],
      },
    ]
  },
}
