import { converge } from '../../lib/next-command.ts'
import type { Rule } from '../rule.ts'
import { gerunds } from '../words.ts'
import { cutOffBy } from './service-busy.ts'

export const serviceBusyWait: Rule = {
  code: 'SERVICE.BUSY_WAIT',
  severity: 'warn',
  title: 'The server is busy; apply waits for it.',
  explain:
    'The server is working on a request. With `--wait-idle`, converge waits for it instead of refusing the action (SERVICE.BUSY). It waits under ' +
    'the lock of the host, before it writes anything and again just before it interrupts the server. As soon as the server is idle, converge does ' +
    'the action. If the time runs out, it does not (APPLY.STILL_BUSY), and the old server keeps serving. A request that arrives between the last ' +
    'check and the stop, a moment later, is still cut off. converge does not stop a server from accepting new requests.',
  consentable: false,
  checkAction(context) {
    const { action, service, host } = context
    const cut = cutOffBy(context)
    if (cut === undefined || action.wait_idle_s === undefined) return []
    return [
      {
        why: `${service.name} on ${host.name} is working on ${cut.words}. converge waits for that before ${gerunds[action.kind].toLowerCase()} it.`,
        evidence: [cut.evidence],
        next: [converge(['plan', '--limit', host.name], { say: 'Or wait until it is idle, then plan again:' })],
      },
    ]
  },
}
