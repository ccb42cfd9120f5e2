import { resumeRun } from '../../run/resume-run.ts'
import { groups } from '../option-groups.ts'
import { actingOf, withActing, withClosing, withHosts, withReporting, withSteps } from '../options.ts'
import type { Verb } from '../verb.ts'

/** `converge resume`: finishes an interrupted run. */
export const verb: Verb = {
  configure(command, finish) {
    const selected = command
      .argument('[run]', 'run id or its beginning (default: the latest unfinished run of the inventory)')
      .optionsGroup(groups.selection)
      .option(
        '-i, --inventory <path>',
        'inventory directory or file (default: if you name a run, its inventory; otherwise $CONVERGE_INVENTORY, or the only one in inventories/)',
      )
    withActing(withSteps(withReporting(withHosts(withClosing(selected))))).action((named, flags) =>
      finish((context) => resumeRun(context, { named, flags, ...actingOf(flags) })),
    )
  },
}
