import { keptFacts, openKeptFactsRun } from '../../run/kept-facts-run.ts'
import { keyAsker } from '../../run/key-asker.ts'
import { planOnly } from '../../run/plan-only.ts'
import { consentsFromFlags } from '../../run/plays.ts'
import { withRun } from '../../run/run.ts'
import {
  withConsents,
  withEvents,
  withHosts,
  withKeptFacts,
  withNotify,
  withReports,
  withSelection,
  withSteps,
  withWaiting,
} from '../options.ts'
import type { Verb } from '../verb.ts'

/** `converge plan`. */
export const verb: Verb = {
  configure(command, finish) {
    withSteps(withReports(withNotify(withEvents(withWaiting(withConsents(withKeptFacts(withHosts(withSelection(command)))))))))
      .argument('[playbook]', 'plays to follow; without one, all selected hosts')
      .option('-o, --out <file>', 'save the plan: `converge apply FILE` does this, or less, and nothing else')
      .option('--detailed-exitcode', 'end with 2 when there is something to change')
      .action((playbook, options) =>
        finish(async (context) => {
          const consents = consentsFromFlags(options.allow ?? [], options.reason)
          const detailedExitcode = options.detailedExitcode === true
          const { waitIdle, maxDowntime, out } = options
          const asked = { playbook, consents, detailedExitcode, waitIdle, maxDowntime, out }
          const kept = keptFacts(options)
          if (kept !== undefined)
            return planOnly(await openKeptFactsRun(context, options, { folder: kept, ...keyAsker(context, options) }), asked)
          return withRun(context, options, (run) => planOnly(run, asked))
        }),
      )
  },
}
