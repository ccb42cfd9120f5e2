import type { Action } from '../model/action.ts'
import type { HostPlan, Plan, PlanSummary } from '../model/plan.ts'
import { aboutSeconds } from '../simulate/downtime.ts'
import { renderActionDetail, renderActionLine } from './action-text.ts'
import { hostBlocks } from './host-blocks.ts'
import { indent } from './indent.ts'
import type { Paint } from './paint.ts'
import { isThere, renderFetches } from './plan-fetch-text.ts'
import { renderProblem } from './problem-text.ts'
import { renderRefusal } from './refusal-text.ts'
import { restsOn } from './rests-on.ts'
import { renderBookkeeping, renderSteps, type StepsText, stepsLegend } from './steps-text.ts'
import { renderWarnings } from './warnings-text.ts'

export interface PlanTextOptions {
  readonly paint: Paint
  /** Shows what is as wanted, and definitions that are new, in full. */
  readonly verbose: boolean
  /** Shows every command and file that is sent. */
  readonly steps: boolean
}

/** The plan as people read it, from the same document that `--json` prints. */
export function renderPlan(plan: Plan, options: PlanTextOptions): string {
  const quiet = plan.hosts.filter((host) => isQuiet(host) && !options.verbose)
  const told = plan.hosts.filter((host) => !quiet.includes(host))
  const { blocks: hosts, finish } = hostBlocks(told, (host) => renderHost(host, options), options.paint)
  const sends = options.steps && told.some((host) => host.bookkeeping !== undefined)
  const blocks = [...(sends ? [options.paint(['dim'], stepsLegend)] : []), ...hosts]
  if (quiet.length > 0) blocks.push(options.paint(['dim'], asWantedLine(quiet)))
  const rest = plan.facts_from === undefined ? '' : `\n${options.paint(['yellow'], restsOn(plan.facts_from))}`
  return finish(`${[...blocks, renderSummary(plan.summary, options.paint)].join('\n\n')}${rest}\n`)
}

/** One line: what would be done, refused and could not be reached. */
export function renderSummary(summary: PlanSummary, paint: Paint): string {
  const parts = [
    summary.changes === 0
      ? summary.unreachable > 0
        ? 'nothing to change where it could be seen'
        : 'nothing to change'
      : paint(['bold'], `${summary.changes} to change`),
    summary.refusals === 0 ? '0 refused' : paint(['bold', 'red'], `${summary.refusals} refused`),
    ...(summary.warnings === 0
      ? []
      : [paint(['yellow'], `${summary.warnings} ${summary.warnings === 1 ? 'warning' : 'warnings'}`)]),
    summary.unreachable === 0 ? '0 unreachable' : paint(['bold', 'red'], `${summary.unreachable} unreachable`),
  ]
  return `Plan: ${parts.join(', ')} (${summary.hosts} ${summary.hosts === 1 ? 'host' : 'hosts'}).${downtimeWords(summary)}`
}

function downtimeWords({ downtime }: PlanSummary): string {
  if (downtime === undefined) return ''
  const { services, longest_s: longest, unknown } = downtime
  const words = [
    services === 1 ? '1 service is down meanwhile' : `${services} services are down meanwhile`,
    ...(longest === null ? [] : [`${services === 1 ? '' : 'the longest '}${aboutSeconds(longest)}`]),
    ...(unknown === 0 ? [] : [`${unknown === services ? '' : `${unknown} of them `}never measured for how long`]),
  ]
  return `\n${words.join(', ')}.`
}

function renderHost(host: HostPlan, options: PlanTextOptions): string {
  const { paint } = options
  if (!host.reachable) {
    const problem = host.problem === undefined ? '' : `\n${indent(renderProblem(host.problem, paint))}`
    const line = `${paint(['bold'], host.host)}  ${paint(['red'], 'could not be looked at')}${problem}`
    return [line, ...judgements(host, options)].join('\n')
  }
  const text = { paint, shown: new Set<string>() }
  const parts = [
    ...settledFirst(host, paint),
    ...host.actions.filter((action) => action.kind !== 'noop').map((action) => renderChange(action, options, text)),
    ...(options.steps && host.bookkeeping !== undefined ? [indent(renderBookkeeping(host.bookkeeping, paint))] : []),
    ...downMeanwhile(host, paint),
    ...renderFetches(host, options),
    ...judgements(host, options),
    ...unchanged(host, options),
  ]
  return [paint(['bold'], host.host), ...parts].join('\n')
}

/** What an earlier run left unconfirmed comes before anything else, and may interrupt a server. */
function settledFirst({ bookkeeping = [] }: HostPlan, paint: Paint): readonly string[] {
  return bookkeeping
    .filter(({ interrupts }) => interrupts === true)
    .map(({ label, note = '' }) => `  ${paint(['yellow'], '↺')} ${paint.hang}${label}: ${note}`)
}

/** What the rules say. */
function judgements(host: HostPlan, options: PlanTextOptions): readonly string[] {
  const { paint } = options
  return [
    ...host.refusals.map((refusal) => indent(renderRefusal(refusal, 'refused', paint))),
    ...host.consented.map((refusal) => indent(renderRefusal(refusal, 'consented', paint))),
    ...(host.approvals_unused ?? []).map((refusal) => indent(renderRefusal(refusal, 'unused', paint))),
    ...renderWarnings(host.warnings, options).map((text) => indent(text)),
  ]
}

/** `down meanwhile: coder (about 20s), writer (never measured, usually seconds)`: the figure of the action with which it begins. */
function downMeanwhile({ downtime = [], actions }: HostPlan, paint: Paint): readonly string[] {
  if (downtime.length === 0) return []
  const each = downtime.map(({ service, seconds, from }) => {
    const words = seconds === null ? (actions.find(({ id }) => id === from)?.downtime ?? '') : aboutSeconds(seconds)
    return `${service} (${words})`
  })
  return [paint(['magenta'], `  down meanwhile: ${paint.hang}${each.join(', ')}`)]
}

function renderChange(action: Action, { paint, verbose, steps }: PlanTextOptions, text: StepsText): string {
  const detail = renderActionDetail(action, { paint, withDiff: action.kind !== 'install' || verbose || steps })
  const sent = steps && action.steps !== undefined ? renderSteps(action.steps, text) : ''
  return [
    indent(renderActionLine(action, paint)),
    ...[detail, sent].filter((one) => one !== '').map((one) => indent(one, 6)),
  ].join('\n')
}

function unchanged(host: HostPlan, { paint, verbose }: PlanTextOptions): readonly string[] {
  const noops = host.actions.filter((action) => action.kind === 'noop')
  if (noops.length === 0) return []
  if (verbose) return noops.map((action) => paint(['dim'], `  · ${paint.hang}${action.service}  ${action.reason}`))
  return [paint(['dim'], `  · ${paint.hang}as wanted: ${noops.map((action) => action.service).join(', ')}`)]
}

/** Nothing to say but "as wanted". */
function isQuiet(host: HostPlan): boolean {
  return (
    host.reachable &&
    host.refusals.length + host.warnings.length + host.consented.length === 0 &&
    host.actions.every((action) => action.kind === 'noop') &&
    (host.fetches ?? []).every(isThere)
  )
}

function asWantedLine(hosts: readonly HostPlan[]): string {
  const names = hosts.slice(0, 8).map((host) => host.host)
  const more = hosts.length > names.length ? ` and ${hosts.length - names.length} more` : ''
  return `As wanted: ${names.join(', ')}${more}`
}
