import { converge, shell } from '../../lib/next-command.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { RollbackTimer } from '../../model/rollback-timer.ts'
import { rollbackAfterS } from '../../model/rollback-timer.ts'
import type { Rule } from '../rule.ts'
import { isAtWork } from './host-in-doubt.ts'

export const hostUnconfirmed: Rule = {
  code: 'HOST.UNCONFIRMED',
  severity: 'warn',
  title: 'A replaced server on this host is unconfirmed.',
  explain:
    'Before a Kind A that runs is replaced, its rollback is left on the host, which goes it by itself three minutes after the last sign ' +
    'of life of the run that left it there, unless that run confirms the new server. Here such a rollback waits, and its run is gone. The next ' +
    '`apply` proves the server first: one that works is confirmed and stays, for any other the host is told to put the one before it back at ' +
    'once. Nothing else is done on the host before that.',
  consentable: false,
  checkHost({ host, facts }) {
    if (!facts.rollbackTimers.known) {
      if (facts.rollbackTimers.because !== 'not-permitted') return []
      const why = `Whether a server on ${host.name} waits to be confirmed is not known: ${facts.rollbackTimers.detail ?? facts.rollbackTimers.because}.`
      const next = [
        shell(`ssh ${host.name} ls -ld "$(dirname ${folder(facts)})" ${folder(facts)}`, { say: 'See whose the folder is:' }),
      ]
      return [{ why, evidence: [`timers: ${facts.rollbackTimers.because}`], next }]
    }
    return unconfirmed(facts).map((timer) => ({
      why: `${timer.service} on ${host.name} was replaced by the run of ${timer.owner} on ${timer.controller}, which did not confirm that it works. ${whatComes(timer)}`,
      evidence: [`timer ${timer.id}: ${timer.state}, run ${timer.runId}`],
      next: [
        converge(['apply', '--limit', host.name], { note: 'proves it; what works is confirmed, what does not is put back' }),
        converge(['plan', '--limit', host.name], { say: 'Or wait, and see what the host did:' }),
      ],
    }))
  },
}

/** What waits to be confirmed, and whose run is not at work any more. */
export function unconfirmed({ rollbackTimers, lock }: Pick<HostFacts, 'rollbackTimers' | 'lock'>): readonly RollbackTimer[] {
  if (!rollbackTimers.known) return []
  return rollbackTimers.value.filter(({ state, runId }) => (state === 'armed' || state === 'acting') && !isAtWork(lock, runId))
}

function whatComes({ state, alive }: RollbackTimer): string {
  if (!alive) return 'The host was to put the one before it back, but nothing waits there any more: it was restarted, perhaps.'
  if (state === 'acting') return 'The host is putting the one before it back right now.'
  return `The host puts the one before it back by itself, ${rollbackAfterS / 60} minutes after the last sign of life.`
}

function folder({ layout }: HostFacts): string {
  return `${layout.known ? layout.value.root : '/etc/converge'}/deadman`
}
