import { type Command, InvalidArgumentError, type OptionValues } from '@commander-js/extra-typings'
import type { DriftClass } from '../../model/drift.ts'
import { levelWord } from '../../report/drift-words.ts'
import { driftClasses, reportDrift } from '../../run/report-drift.ts'
import { withPlanningRun } from '../../run/with-planning-run.ts'
import { offering } from '../offered-values.ts'
import { withFactsSnapshot, withHosts, withReporting, withShards } from '../options.ts'
import type { Verb } from '../verb.ts'

/** `converge drift`: inventory, last apply and hosts side by side, read-only. */
export const verb: Verb = {
  configure(command, finish) {
    withReporting(withFactsSnapshot(withHosts(withShards(withDriftOptions(command))))).action((options) =>
      finish((context) => withPlanningRun(context, options, (run) => reportDrift(run, options))),
    )
  },
}

function withDriftOptions<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command
    .option(
      '--fail-on <classes>',
      'findings that cause exit code 2: drift or pending (each includes conflict), conflict, foreign, or none (default: drift,foreign)',
      toClasses,
    )
    .option('--changed', 'print nothing if nothing is new since the last run with --changed')
    .option(
      '--write-ignore',
      'print entries for fleet.drift_ignore in the inventory, which suppress these findings, instead of the report',
    )
}

const toClasses = offering(
  (text: string): readonly DriftClass[] => {
    if (text === 'none') return []
    return text.split(',').map((word) => {
      const found = driftClasses.find((name) => name === word.trim() || levelWord(name) === word.trim())
      if (found === undefined)
        throw new InvalidArgumentError(`The classes are ${driftClasses.map(levelWord).join(', ')}; or say none.`)
      return found
    })
  },
  { values: [...driftClasses.map(levelWord), 'none'] },
)
