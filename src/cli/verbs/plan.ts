import { planOnly } from '../../run/plan-only.ts'
import { withPlanningRun } from '../../run/with-planning-run.ts'
import { withFactsSnapshot, withHosts, withShards } from '../options.ts'
import { planningOf, withPlanning } from '../planning-options.ts'
import type { Verb } from '../verb.ts'

/** `converge plan`. */
export const verb: Verb = {
  configure(command, finish) {
    const own = command
      .argument('[playbook]', 'a converge playbook (without one: every selected host)')
      .option('-o, --out <file>', 'save the plan; `converge apply FILE` then makes these changes and no others')
      .option('--detailed-exitcode', 'exit with 2 if changes are pending')
    withPlanning(withFactsSnapshot(withHosts(withShards(own)))).action((playbook, options) =>
      finish(async (context) => {
        const asked = { playbook, ...planningOf(options), out: options.out }
        return withPlanningRun(context, options, (run) => planOnly(run, asked))
      }),
    )
  },
}
