import { type Command, InvalidArgumentError, type OptionValues } from '@commander-js/extra-typings'
import { classesOf, compareFleet } from '../../drift/compare-fleet.ts'
import type { DriftClass, DriftDocument } from '../../model/drift.ts'
import { renderDrift } from '../../report/drift-text.ts'
import { overviewOfDrift } from '../../report/overview-of-drift.ts'
import type { Surroundings } from '../../report/overview-of-plan.ts'
import type { Paint } from '../../report/paint.ts'
import { conclude } from '../conclude.ts'
import { type ExitCode, exitCodes, worstOf } from '../exit-code.ts'
import { withEvents, withHosts, withReports, withSelection } from '../options.ts'
import { withRun } from '../run.ts'
import { newRun } from '../run-identity.ts'
import type { Verb } from '../verb.ts'

/** `converge drift`: inventory, last apply and hosts side by side, read-only. */
export const verb: Verb = {
  configure(command, finish) {
    withFailOn(withReports(withEvents(withHosts(withSelection(command))))).action((options) =>
      finish((context) =>
        withRun(context, options, async (run) => {
          const { fleet, names, hosts, selects, everyService } = run.open
          const seen = await run.observe(names, { keep: false, phase: 'gather' })
          await run.stopDisplay()
          const selected = new Set(hosts.flatMap(({ services }) => services.filter(selects)).map(({ name }) => name))
          const document = compareFleet({
            fleet,
            facts: seen,
            keys: run.keys,
            selects: (service) => everyService || selected.has(service),
            now: context.now().toISOString(),
          })
          const exit = driftExit(document, options.failOn ?? failOnDefault)
          const text = (paint: Paint) => renderDrift(document, paint)
          const overview = (around: Surroundings) => overviewOfDrift(document, around)
          const { run_id } = newRun(context)
          await conclude(run, { document, text, prose: true, overview }, { verb: 'drift', run_id, exit })
          return exit
        }),
      ),
    )
  },
}

const classes: readonly DriftClass[] = ['drift', 'pending', 'both', 'foreign']

/** What somebody changed on a host, not what merely waits to be applied. */
export const failOnDefault: readonly DriftClass[] = ['drift', 'foreign']

function withFailOn<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command.option(
    '--fail-on <classes>',
    'which findings end with 2: drift, pending, both, foreign, or none; a conflict is drift and pending at once (default: drift,foreign)',
    toClasses,
  )
}

function toClasses(text: string): readonly DriftClass[] {
  if (text === 'none') return []
  return text.split(',').map((word) => {
    const found = classes.find((name) => name === word.trim())
    if (found === undefined) throw new InvalidArgumentError(`The classes are ${classes.join(', ')}; or say none.`)
    return found
  })
}

/** 4 where a host, or something on it, could not be compared; else 2 where something of these classes was found. */
export function driftExit({ hosts, summary }: DriftDocument, failOn: readonly DriftClass[]): ExitCode {
  const found = hosts.flatMap(({ findings }) => findings).some((one) => classesOf(one).some((name) => failOn.includes(name)))
  return worstOf([
    ...(summary.unreachable + summary.not_compared > 0 ? [exitCodes.unreachable] : []),
    ...(found ? [exitCodes.changes] : []),
  ])
}
