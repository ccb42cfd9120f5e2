import { isLockDead } from '../../model/lock-lease.ts'
import type { Rule } from '../rule.ts'

export const hostLocked: Rule = {
  code: 'HOST.LOCKED',
  severity: 'warn',
  title: 'Another run holds the lock of this host.',
  explain:
    'Another run is applying changes to this host right now. The plan shows the host as it is at this moment. While the lock is held, `apply` ' +
    'exits with code 8, or waits for it with `--lock-timeout`. A run that died gives no more signs of life, and its lock is stale after two ' +
    'minutes. It is stale at once if the run was on this machine and its process is gone.',
  consentable: false,
  checkHost({ host, facts }) {
    if (!facts.lock.known || facts.lock.value === null || isLockDead(facts.lock.value)) return []
    const { owner, controller, runId } = facts.lock.value
    return [
      {
        why: `A run of ${owner} on ${controller} is changing ${host.name}, so these facts may soon be out of date.`,
        evidence: [`lock: ${owner} on ${controller}, run ${runId}`],
        next: ['Wait for that run to end, then plan again.'],
      },
    ]
  },
}
