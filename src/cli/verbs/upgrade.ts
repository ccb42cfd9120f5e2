import { InvalidArgumentError } from '@commander-js/extra-typings'
import { defined } from '../../lib/defined.ts'
import type { BatchSize } from '../../model/playbook.ts'
import { withActingRun } from '../../run/acting-run.ts'
import { applyRun } from '../../run/apply-run.ts'
import { planOnly } from '../../run/plan-only.ts'
import { upgradeSource } from '../../run/ready-registries.ts'
import { withRun } from '../../run/run.ts'
import { groups } from '../option-groups.ts'
import { actingOf, withActing, withHosts, withSelection } from '../options.ts'
import { planningOf, withPlanning } from '../planning-options.ts'
import { mustBeUnsharded } from '../unsharded.ts'
import type { Verb } from '../verb.ts'

/** `converge upgrade`: an apply that only moves versions, one host first. */
export const verb: Verb = {
  configure(command, finish) {
    const own = command
      .argument('[service[@host]]', 'a service, on all its hosts or on one (without one: every running server)')
      .option('-C, --check', 'show the plan only; asks the registries, pulls nothing')
      .option('--playbook <file>', 'upgrade what the plays select, in their order and batches')
      .optionsGroup(groups.safety)
      .option('--serial <n>', 'batches of hosts for plays without `serial`, such as 1,25%,100% (default: 1,100%)', serialOf)
      .option(
        '--max-slowdown <n>',
        'for plays without `max_slowdown`: stop at a server whose chat takes more than this many times as long as before (default: 3)',
        slowdownOf,
      )
    withActing(withPlanning(withHosts(withSelection(own)))).action((target, options) =>
      finish(async (context) => {
        mustBeUnsharded(context, 'upgrade', 'An upgrade tries one host first, and goes on only if it works there.')
        const { playbook, serial, maxSlowdown } = options
        const { detailedExitcode: _, ...asked } = planningOf(options)
        const flags = { ...options, ...narrowed(target, options) }
        const rollout = defined({ serial, maxSlowdown })
        if (options.check === true)
          return withRun(context, flags, (run) =>
            planOnly(run, { ...asked, playbook, upgrade: upgradeSource(run, rollout), detailedExitcode: false }),
          )
        return withActingRun(context, flags, (run) =>
          applyRun(run, { ...asked, playbook, upgrade: upgradeSource(run, rollout), ...actingOf(options) }),
        )
      }),
    )
  },
}

interface Selected {
  readonly limit?: string | undefined
  readonly service?: readonly string[] | undefined
}

/** `coder@nas` is one more `--service`, and narrows `--limit`. */
function narrowed(target: string | undefined, { limit, service = [] }: Selected): Selected {
  if (target === undefined) return {}
  const [name = '', host] = target.split('@')
  return {
    service: [name, ...service],
    ...(host === undefined ? {} : { limit: limit === undefined ? host : `${limit}:&${host}` }),
  }
}

function serialOf(text: string): readonly BatchSize[] {
  return text.split(',').map((size) => {
    const [, number = '', percent] = /^(\d{1,6})(%?)$/.exec(size.trim()) ?? []
    const value = Number(number)
    if (value < 1 || (percent === '%' && value > 100))
      throw new InvalidArgumentError('It has to be numbers of hosts or shares of them, such as 1 or 1,25%,100%.')
    return percent === '%' ? { percent: value } : { count: value }
  })
}

function slowdownOf(text: string): number {
  const times = Number(text)
  if (!Number.isFinite(times) || times < 1.1) throw new InvalidArgumentError('It has to be a number from 1.1 on, such as 3.')
  return times
}
