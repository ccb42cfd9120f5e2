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
    "Before apply replaces a running Kind A server, it arms a rollback timer on the host. Three minutes after the run's last heartbeat, the " +
    'timer restores the previous server, unless the run has confirmed the new one. Here a timer is armed, and its run has ended. The next ' +
    '`apply` tests the server before it does anything else on the host. If the server works, that apply confirms it; otherwise it rolls it ' +
    'back at once. This warning blocks no action.',
  consentable: false,
  checkHost({ host, facts }) {
    if (!facts.rollbackTimers.known) {
      if (facts.rollbackTimers.because !== 'not-permitted') return []
      const why = `Whether a server on ${host.name} is unconfirmed is unknown: ${facts.rollbackTimers.detail ?? facts.rollbackTimers.because}.`
      const next = [
        shell(`ssh ${host.name} ls -ld "$(dirname ${folder(facts)})" ${folder(facts)}`, { say: 'See who owns the folder:' }),
      ]
      return [{ why, evidence: [`timers: ${facts.rollbackTimers.because}`], next }]
    }
    return unconfirmed(facts).map((timer) => ({
      why: `The run of ${timer.owner} on ${timer.controller} replaced ${timer.service} on ${host.name} and did not confirm that it works. ${rollbackWords(timer)}`,
      evidence: [`timer ${timer.id}: ${timer.state}, run ${timer.runId}`],
      next: [
        converge(['apply', '--limit', host.name], { note: 'tests it, then confirms it or rolls it back' }),
        converge(['plan', '--limit', host.name], { say: 'Or wait, then see what the host did:' }),
      ],
    }))
  },
}

/** Timers that wait for a confirmation and whose run has ended. */
export function unconfirmed({ rollbackTimers, lock }: Pick<HostFacts, 'rollbackTimers' | 'lock'>): readonly RollbackTimer[] {
  if (!rollbackTimers.known) return []
  return rollbackTimers.value.filter(({ state, runId }) => (state === 'armed' || state === 'acting') && !isAtWork(lock, runId))
}

function rollbackWords({ state, alive }: RollbackTimer): string {
  if (!alive) return 'Its rollback timer is no longer running; the host has probably rebooted.'
  if (state === 'acting') return 'The host is rolling it back right now.'
  return `The host rolls it back ${rollbackAfterS / 60} minutes after the run's last heartbeat.`
}

function folder({ layout }: HostFacts): string {
  return `${layout.known ? layout.value.root : '/etc/converge'}/deadman`
}
