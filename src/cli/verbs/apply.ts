import { defined } from '../../lib/defined.ts'
import { withActingRun } from '../../run/acting-run.ts'
import { applyRun } from '../../run/apply-run.ts'
import { planOnly } from '../../run/plan-only.ts'
import { consentsFromFlags } from '../../run/plays.ts'
import { withRun } from '../../run/run.ts'
import { duration } from '../duration.ts'
import {
  withConsents,
  withEvents,
  withHosts,
  withNotify,
  withReports,
  withSelection,
  withSteps,
  withWaiting,
} from '../options.ts'
import { readPlanArgument } from '../plan-argument.ts'
import type { Verb } from '../verb.ts'

/** `converge apply`: plans, asks, does, proves, and plans again. */
export const verb: Verb = {
  configure(command, finish) {
    withSteps(withReports(withNotify(withEvents(withWaiting(withConsents(withHosts(withSelection(command))))))))
      .argument('[playbook | plan]', 'plays to follow, or a plan that `plan --out` saved; without one, all selected hosts')
      .option('-y, --confirm', 'do not ask; needed where there is no terminal (overrules no refusal)')
      .option('-C, --check', 'plan only, the same as `converge plan`')
      .option('--lock-timeout <duration>', 'wait for another run that is at work, at most so long (2m)', duration)
      .option('--detailed-exitcode', 'with --check: end with 2 when there is something to change')
      .action((path, options) =>
        finish(async (context) => {
          const consents = consentsFromFlags(options.allow ?? [], options.reason)
          const { waitIdle, maxDowntime, lockTimeout } = options
          const limits = { waitIdle, maxDowntime }
          const { flags, ...source } = await readPlanArgument(path, options)
          if (options.check === true) {
            const detailedExitcode = options.detailedExitcode === true
            return withRun(context, flags, (run) => planOnly(run, { ...source, consents, detailedExitcode, ...limits }))
          }
          const patience = defined({ lockTimeoutMs: lockTimeout })
          const confirmed = options.confirm === true
          return withActingRun(context, flags, (run) => applyRun(run, { ...source, consents, confirmed, ...limits, ...patience }))
        }),
      )
  },
}
