import { converge, shell } from '../../lib/next-command.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { RollbackTimer } from '../../model/rollback-timer.ts'
import type { Rule } from '../rule.ts'

export const hostRestored: Rule = {
  code: 'HOST.RESTORED',
  severity: 'warn',
  title: 'The host rolled back a server.',
  explain:
    'A run replaced a Kind A and was gone before it could confirm that the new one works. So the host put the definition, the key and the ' +
    'server before it back, as it had been told before the run began. Or it tried to and could not; or it left all as it was, because a ' +
    'file was neither as that run wrote it nor as it was before, so that somebody else had been there. Which of these it was is said. What ' +
    'the plan shows is what it would take to replace it once more: find out before that why the new one did not work, or why the run did not ' +
    'come to its end. The note goes away with the next `apply` that ends well on this host.',
  consentable: false,
  checkHost({ host, facts }) {
    return restored(facts).map((timer) => {
      const { id, state, service, runId } = timer
      const root = facts.layout.known ? facts.layout.value.root : '/etc/converge'
      return {
        why: `${host.name} ${whatItDid(timer)}`,
        evidence: [`timer ${id}: ${state}, run ${runId}`],
        next: [
          converge(['verify', '--limit', host.name, '--service', service], { say: 'See whether it works:' }),
          shell(`ssh ${host.name} cat ${root}/deadman/${id}.${state}/said`, { say: 'See what the host did:' }),
        ],
      }
    })
  },
}

function whatItDid({ state, service, at, owner, controller }: RollbackTimer): string {
  const when = new Date(at * 1000).toISOString()
  const because = `because the run of ${owner} on ${controller} gave no sign of life before it had confirmed the new one`
  if (state === 'undone') return `put ${service} back by itself at ${when}, ${because}.`
  if (state === 'failed') return `tried to put ${service} back, gave up at ${when}, ${because}.`
  return `was to put ${service} back, ${because}. At ${when} it left all as it was: somebody else had changed the files meanwhile.`
}

/** What the host did by itself, until a run has ended well on it. */
export function restored({ rollbackTimers }: Pick<HostFacts, 'rollbackTimers'>): readonly RollbackTimer[] {
  return rollbackTimers.known ? rollbackTimers.value.filter(({ state }) => state !== 'armed' && state !== 'acting') : []
}
