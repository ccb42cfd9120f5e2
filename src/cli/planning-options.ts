import type { Command, OptionValues } from '@commander-js/extra-typings'
import { consentsFromFlags } from '../run/plays.ts'
import { duration } from './duration.ts'
import { collect, withReporting, withSteps } from './options.ts'

interface PlanningOptions {
  readonly allow?: readonly string[] | undefined
  readonly reason?: string | undefined
  readonly waitIdle?: number | undefined
  readonly maxDowntime?: number | undefined
  readonly detailedExitcode?: true | undefined
}

/** What a plan may cost and is approved for, who hears of it, and how it is shown. */
export function withPlanning<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return withSteps(withReporting(withWaiting(withConsents(command))))
}

/** What these options, and `--detailed-exitcode`, ask of a plan. */
export function planningOf({ allow = [], reason, waitIdle, maxDowntime, detailedExitcode }: PlanningOptions) {
  const consents = consentsFromFlags(allow, reason)
  return { consents, waitIdle, maxDowntime, detailedExitcode: detailedExitcode === true }
}

/** Leave to overrule a refusal. */
function withConsents<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command
    .option('--allow <CODE@SERVICE[@HOST]>', 'overrule this refusal (repeatable; SERVICE may be a glob)', collect)
    .option('--reason <text>', 'why; goes into the report (needed with --allow)')
}

/** What an interruption may cost: waiting for a server instead of cutting it off, and how long it may be down. */
function withWaiting<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command
    .option(
      '--wait-idle <duration>',
      'wait for a server that is in the middle of a request, at most so long (10m), before it is interrupted',
      duration,
    )
    .option(
      '--max-downtime <duration>',
      'do nothing for which a running service is down for longer (5m), or nobody knows for how long',
      duration,
    )
}
