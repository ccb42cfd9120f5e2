import { withActingRun } from '../../run/acting-run.ts'
import { applyRun } from '../../run/apply-run.ts'
import { planOnly } from '../../run/plan-only.ts'
import { withRun } from '../../run/run.ts'
import { actingOf, withActing, withHosts, withShards } from '../options.ts'
import { readPlanArgument } from '../plan-argument.ts'
import { planningOf, withPlanning } from '../planning-options.ts'
import type { Verb } from '../verb.ts'

/** `converge apply`: plans, asks, applies, tests, and plans again. */
export const verb: Verb = {
  configure(command, finish) {
    const own = command
      .argument('[playbook | plan]', 'a converge playbook, or a plan that `plan --out` saved (without one: every selected host)')
      .option('-C, --check', 'plan only, like `converge plan`')
      .option('--detailed-exitcode', 'with --check: exit with 2 if changes are pending')
    withActing(withPlanning(withHosts(withShards(own)))).action((path, options) =>
      finish(async (context) => {
        const { detailedExitcode, ...asked } = planningOf(options)
        const { flags, ...source } = await readPlanArgument(path, options)
        if (options.check === true)
          return withRun(context, flags, (run) => planOnly(run, { ...source, ...asked, detailedExitcode }))
        return withActingRun(context, flags, (run) => applyRun(run, { ...source, ...asked, ...actingOf(options) }))
      }),
    )
  },
}
