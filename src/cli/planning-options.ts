import type { Command, OptionValues } from '@commander-js/extra-typings'
import { approvalsFromFlags } from '../run/plays.ts'
import { duration } from './duration.ts'
import { groups } from './option-groups.ts'
import { collect, withReporting, withSteps } from './options.ts'

interface PlanningOptions {
  readonly allow?: readonly string[] | undefined
  readonly reason?: string | undefined
  readonly waitIdle?: number | undefined
  readonly maxDowntime?: number | undefined
  readonly detailedExitcode?: true | undefined
}

/** What a plan may cost and is approved for, who hears of it, and how it is shown. */
export function withPlanning<A extends unknown[], O extends OptionValues>(command: Command<A, O>, reason = reasonOfApproval) {
  return withSteps(withReporting(withWaiting(withApprovals(command, reason))))
}

/** What these options, and `--detailed-exitcode`, ask of a plan. */
export function planningOf({ allow = [], reason, waitIdle, maxDowntime, detailedExitcode }: PlanningOptions) {
  const approvals = approvalsFromFlags(allow, reason)
  return { approvals, waitIdle, maxDowntime, detailedExitcode: detailedExitcode === true }
}

const reasonOfApproval = 'with --allow: why; shown in the plan and the report'

/** Overruling refusals. */
function withApprovals<A extends unknown[], O extends OptionValues>(command: Command<A, O>, reason: string) {
  return command
    .optionsGroup(groups.safety)
    .option('--allow <CODE@SERVICE[@HOST]>', 'overrule this refusal (repeatable; see `converge help approvals`)', collect)
    .option('--reason <text>', reason)
}

/** What an interruption may cost: waiting for a server instead of cutting it off, and how long it may be down. */
function withWaiting<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command
    .optionsGroup(groups.safety)
    .option(
      '--wait-idle <duration>',
      'let apply wait up to this long (such as 10m) for a busy server to finish its requests, instead of refusing to stop it',
      duration,
    )
    .option('--max-downtime <duration>', 'refuse a change whose downtime is longer than this (such as 5m) or unknown', duration)
}
