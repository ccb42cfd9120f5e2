import { converge } from '../../lib/next-command.ts'
import { isLockDead } from '../../model/lock-lease.ts'
import type { Rule } from '../rule.ts'

export const hostLockDead: Rule = {
  code: 'HOST.LOCK_DEAD',
  severity: 'warn',
  title: 'A run on this host died and left a stale lock.',
  explain:
    'A run ended without releasing its lock: it was killed, its machine went away, or the connection was lost for good. Its last steps may be ' +
    'half done or untested. The plan shows what is left to do. The next `apply` takes over the stale lock and tests the affected services, ' +
    'even if nothing is left to do.',
  consentable: false,
  checkHost({ host, facts }) {
    if (!facts.lock.known || facts.lock.value === null || !isLockDead(facts.lock.value)) return []
    const { owner, controller, runId, ageS, died } = facts.lock.value
    const silent = died === true ? 'its process is gone' : `silent for ${ageWords(ageS)}`
    return [
      {
        why: `The run of ${owner} on ${controller} ${died === true ? `died on ${host.name}: its process is gone` : `has sent no heartbeat on ${host.name} for ${ageWords(ageS)}`}. Its last steps may be unfinished or untested.`,
        evidence: [`lock: ${owner} on ${controller}, run ${runId}, ${silent}`],
        next: [converge(['apply', '--limit', host.name], { note: 'does what is left and tests what runs' })],
      },
    ]
  },
}

function ageWords(seconds: number): string {
  if (seconds < 2 * 3600) return `${Math.round(seconds / 60)} minutes`
  return seconds < 48 * 3600 ? `${Math.round(seconds / 3600)} hours` : `${Math.round(seconds / 86_400)} days`
}
