import { ConvergeError } from '../../errors/converge-error.ts'
import { converge } from '../../lib/next-command.ts'
import type { Problem } from '../../model/plan.ts'

/** The problem of a host in the inventory that no merged report covers. */
export function notLookedAt(host: string): Problem {
  return new ConvergeError('REPORT.NOT_LOOKED_AT', {
    summary: 'None of the parts covers this host.',
    why: `The inventory has ${host}, but no merged report covers it. Its run left no report, or did not select it.`,
    next: [
      converge(['drift', '--limit', host, '--format', `json=parts/${host}.json`], {
        say: 'Check it, then merge all reports again:',
      }),
    ],
  }).toProblem()
}
