import { isLockDead } from '../../model/lock-lease.ts'
import type { Rule } from '../rule.ts'

export const hostLocked: Rule = {
  code: 'HOST.LOCKED',
  severity: 'warn',
  title: 'Another run holds the lock of this host.',
  explain:
    'Somebody is applying changes to this host right now. The plan shows the host as it is at this moment; `apply` ' +
    'ends with exit code 8 while the lock is held, or waits for it with --lock-timeout. A run that died gives no sign of life any more, and its lock is dead after two minutes; at once where it ran on this machine and its process is gone.',
  consentable: false,
  checkHost({ host, facts }) {
    if (!facts.lock.known || facts.lock.value === null || isLockDead(facts.lock.value)) return []
    const { owner, controller, runId } = facts.lock.value
    return [
      {
        why: `${owner} on ${controller} is at work on ${host.name}, so what was seen may be different in a moment.`,
        evidence: [`lock: ${owner} on ${controller}, run ${runId}`],
        next: ['Wait for that run to end, then plan again.'],
      },
    ]
  },
}
