import { ConvergeError } from '../../errors/converge-error.ts'
import { converge } from '../../lib/next-command.ts'
import type { Problem } from '../../model/plan.ts'

/** Of a host that the inventory has, and none of the runs that were put together was about. */
export function notLookedAt(host: string): Problem {
  return new ConvergeError('REPORT.NOT_LOOKED_AT', {
    summary: 'None of the parts covers this host.',
    why: `The inventory has ${host}, and no report that was put together says anything of it. Who was to look at it left none, or left it out.`,
    next: [
      converge(['drift', '--limit', host, '--format', `json=parts/${host}.json`], {
        say: 'Look at it, and put all of them together:',
      }),
    ],
  }).toProblem()
}
