import { converge } from '../../lib/next-command.ts'
import type { HostFacts } from '../../model/facts.ts'
import { isLockDead } from '../../model/lock-lease.ts'
import type { UnfinishedRun } from '../../model/unfinished-run.ts'
import type { Rule } from '../rule.ts'

export const hostInDoubt: Rule = {
  code: 'HOST.IN_DOUBT',
  severity: 'warn',
  title: 'A run on this host was interrupted.',
  explain:
    'A run logs each step on the host (`audit.log` in the converge folder) before it does it, and logs the end afterwards. Here the log lacks ' +
    'the end of a run or of a step: the run was killed, the connection was lost, or the host went down. A step with an unknown outcome was ' +
    'done, half done, or not done. Nothing is assumed: the plan shows what is left to do. The next `apply` tests the affected services, even ' +
    'if nothing is left to do. On the machine that started the run, `converge resume` does no more than that run planned.',
  consentable: false,
  checkHost({ host, facts }) {
    const run = unfinishedRun(facts)
    if (run === undefined) return []
    const { owner, controller, runId, begunAt, services, inDoubt } = run
    const since = begunAt === undefined ? '' : `, begun ${new Date(begunAt * 1000).toISOString()}`
    return [
      {
        why: `The run of ${owner} on ${controller} acted on ${services.join(', ')} on ${host.name} and was interrupted. ${doubtWords(run)}`,
        evidence: [
          `log: ${owner} on ${controller}, run ${runId}${since}`,
          ...inDoubt.map(({ service, step }) => `unknown outcome: ${service}: ${step}`),
        ],
        next: [
          converge(['apply', '--limit', host.name], { note: 'does what is left and tests what runs' }),
          converge(['resume'], { note: `on ${controller}: only what that run planned` }),
        ],
      },
    ]
  },
}

/** A run that ended without finishing; undefined: none is known. */
export function unfinishedRun({ journal, lock }: Pick<HostFacts, 'journal' | 'lock'>): UnfinishedRun | undefined {
  if (!journal.known || journal.value === null) return undefined
  return isAtWork(lock, journal.value.runId) ? undefined : journal.value
}

/** Whether a run holds the lock and is alive. */
export function isAtWork(lock: HostFacts['lock'], runId: string): boolean {
  return lock.known && lock.value?.runId === runId && !isLockDead(lock.value)
}

function doubtWords({ inDoubt }: UnfinishedRun): string {
  if (inDoubt.length === 0) return 'All steps that it sent were done, but the result may be untested.'
  return `Whether ${inDoubt.length === 1 ? 'its last step was' : `${inDoubt.length} of its steps were`} done is unknown.`
}
