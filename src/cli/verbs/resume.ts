import { defined } from '../../lib/defined.ts'
import { resumeRun } from '../../run/resume-run.ts'
import { duration } from '../duration.ts'
import { withClosing, withEvents, withHosts, withNotify, withReports, withSteps } from '../options.ts'
import type { Verb } from '../verb.ts'

/** `converge resume`: what an apply that did not come to its end left undone. */
export const verb: Verb = {
  configure(command, finish) {
    const selected = command
      .argument('[run]', 'id of a run, or how it begins; without one, the last run of the inventory of which something is left')
      .option(
        '-i, --inventory <path>',
        'inventory directory or file (else that of RUN, $CONVERGE_INVENTORY, the only one in inventories/)',
      )
    withSteps(withReports(withNotify(withEvents(withHosts(withClosing(selected))))))
      .option('-y, --confirm', 'do not ask; needed where there is no terminal (overrules no refusal)')
      .option('--lock-timeout <duration>', 'wait for another run that is at work, at most so long (2m)', duration)
      .action((named, { confirm, lockTimeout, ...flags }) =>
        finish((context) => {
          const patience = defined({ lockTimeoutMs: lockTimeout })
          return resumeRun(context, { named, flags, confirmed: confirm === true, ...patience })
        }),
      )
  },
}
