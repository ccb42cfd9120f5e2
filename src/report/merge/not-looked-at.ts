import { ConvergeError } from '../../errors/converge-error.ts'
import { converge } from '../../lib/next-command.ts'
import type { Problem } from '../../model/plan.ts'

/** For a host of the inventory that none of the merged reports covers. */
export function notLookedAt(host: string): Problem {
  return new ConvergeError('REPORT.NOT_LOOKED_AT', {
    summary: 'None of the parts covers this host.',
    why: `The inventory has ${host}, and no merged report covers it. Its job wrote no report, or left the host out.`,
    next: [
      converge(['drift', '--limit', host, '--format', `json=parts/${host}.json`], {
        say: 'Compare it, then merge all reports:',
      }),
    ],
  }).toProblem()
}
