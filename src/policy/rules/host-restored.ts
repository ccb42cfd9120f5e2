import { converge, shell } from '../../lib/next-command.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { RollbackTimer } from '../../model/rollback-timer.ts'
import type { Rule } from '../rule.ts'

export const hostRestored: Rule = {
  code: 'HOST.RESTORED',
  severity: 'warn',
  title: 'The host rolled back a server.',
  explain:
    'A run replaced a Kind A and disappeared before it could confirm the new server. The rollback timer on the host then restored the previous ' +
    'definition, key and server. Or it tried and failed; or it changed nothing, because one of the files had been edited in the meantime. ' +
    'The message says which. The plan shows what replacing the server again would take: first find out why the new one did not work, or why the ' +
    'run was interrupted. The warning disappears with the next successful `apply` on this host.',
  consentable: false,
  checkHost({ host, facts }) {
    return restored(facts).map((timer) => {
      const { id, state, service, runId } = timer
      const root = facts.layout.known ? facts.layout.value.root : '/etc/converge'
      return {
        why: `${host.name} ${outcomeWords(timer)}`,
        evidence: [`timer ${id}: ${state}, run ${runId}`],
        next: [
          converge(['verify', '--limit', host.name, '--service', service], { say: 'Test it:' }),
          shell(`ssh ${host.name} cat ${root}/deadman/${id}.${state}/said`, { say: 'See what the host did:' }),
        ],
      }
    })
  },
}

function outcomeWords({ state, service, at, owner, controller }: RollbackTimer): string {
  const when = new Date(at * 1000).toISOString()
  const cause = `The run of ${owner} on ${controller} disappeared before it confirmed the new server.`
  if (state === 'undone') return `rolled ${service} back at ${when}. ${cause}`
  if (state === 'failed') return `could not roll ${service} back and gave up at ${when}. ${cause}`
  return `did not roll ${service} back at ${when}, because its files had been edited in the meantime. ${cause}`
}

/** Timers that have acted since the last successful run on the host. */
export function restored({ rollbackTimers }: Pick<HostFacts, 'rollbackTimers'>): readonly RollbackTimer[] {
  return rollbackTimers.known ? rollbackTimers.value.filter(({ state }) => state !== 'armed' && state !== 'acting') : []
}
