import { resumeRun } from '../../run/resume-run.ts'
import { actingOf, withActing, withClosing, withHosts, withReporting, withSteps } from '../options.ts'
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
    withActing(withSteps(withReporting(withHosts(withClosing(selected))))).action((named, flags) =>
      finish((context) => resumeRun(context, { named, flags, ...actingOf(flags) })),
    )
  },
}
