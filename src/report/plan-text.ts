import type { Action, ActionKind } from '../model/action.ts'
import type { HostPlan, Plan, PlanSummary } from '../model/plan.ts'
import { aboutSeconds } from '../simulate/downtime.ts'
import { actionSigns, renderActionDetail, renderActionLine } from './action-text.ts'
import { noBlocks } from './host-blocks.ts'
import { indent } from './indent.ts'
import { Legend } from './legend.ts'
import type { Paint } from './paint.ts'
import { isThere, renderFetches } from './plan-fetch-text.ts'
import { planLine, renderPlanRecap } from './plan-recap.ts'
import { renderUnreachableHere, unreachableLine } from './problem-text.ts'
import type { RecapLine } from './recap.ts'
import { renderRefusal } from './refusal-text.ts'
import { restsOn } from './rests-on.ts'
import { settledFirst } from './settled-first.ts'
import { renderBookkeeping, renderSteps, type StepsText, stepsLegend } from './steps-text.ts'
import { renderWarnings } from './warnings-text.ts'

export interface PlanTextOptions {
  readonly paint: Paint
  /** Shows what is ok, and definitions that are new, in full. */
  readonly verbose: boolean
  /** Says why nothing is to be done: the services were asked for by name. */
  readonly named?: boolean
  /** Shows every command and file that is sent. */
  readonly steps: boolean
}

/**
 * The plan as people read it, from the same document that `--json` prints. All refusals come first, and nothing else is among them: no diff hides one.
 * It reads each host once: those of a large merged plan are compressed.
 */
export function renderPlan(plan: Plan, options: PlanTextOptions): string {
  const { paint } = options
  const refused = noBlocks((host: HostPlan) => renderRefusals(host, paint), paint)
  const planned = noBlocks((host: HostPlan) => renderHost(host, options), paint)
  const unseen = noBlocks((host: HostPlan) => renderUnreachableHost(host, options), paint)
  const legend = new Legend()
  let sends = false
  const lines = plan.hosts.map((host) => {
    const isPlanned = host.reachable && hasMoreThanRefusals(host, options)
    if (host.refusals.length > 0) refused.add(host)
    if (isPlanned) planned.add(host)
    if (!host.reachable) unseen.add(host)
    if (host.refusals.length > 0 || isPlanned || !host.reachable) {
      legend.add(host)
      sends ||= options.steps && host.bookkeeping !== undefined
    }
    return planLine(host)
  })
  const isOnlyPlanned = refused.blocks.length + unseen.blocks.length === 0
  const rest = plan.facts_from === undefined ? '' : `\n${paint(['yellow'], restsOn(plan.facts_from))}`
  const blocks = [
    [legend.render(paint), sends ? paint(['dim'], stepsLegend) : ''].filter((line) => line !== '').join('\n'),
    ...under('REFUSED', refused.blocks, paint),
    ...(isOnlyPlanned ? planned.blocks : under('PLANNED', planned.blocks, paint)),
    ...under('UNREACHABLE', unseen.blocks, paint),
    renderPlanRecap(lines, paint),
    // With the end of the text: what is joined at once is in memory once.
    `${renderSummary(plan.summary, lines, paint)}${rest}\n`,
  ].filter((block) => block !== '')
  return refused.finish(planned.finish(unseen.finish(blocks.join('\n\n'))))
}

function under(heading: string, [first, ...rest]: readonly string[], paint: Paint): readonly string[] {
  return first === undefined ? [] : [`${paint(['bold'], heading)}\n${first}`, ...rest]
}

function renderRefusals({ host, refusals }: HostPlan, paint: Paint): string {
  return [paint(['bold'], host), ...refusals.map((refusal) => indent(renderRefusal(refusal, 'refused', paint)))].join('\n')
}

/** One line: the actions, refusals, overruled refusals, warnings and unreachable hosts of a plan; a second one for its downtime. */
export function renderSummary(summary: PlanSummary, lines: readonly RecapLine[], paint: Paint): string {
  const overruled = totalOf(lines, 'overruled')
  const parts = [
    summary.changes === 0
      ? summary.unreachable > 0
        ? 'nothing to change on reachable hosts'
        : 'nothing to change'
      : `${paint(['bold'], `${summary.changes} to change`)} (${kindTotals(lines)})`,
    summary.refusals === 0 ? '0 refused' : paint(['bold', 'red'], `${summary.refusals} refused`),
    ...(overruled === 0 ? [] : [paint(['yellow'], `${overruled} overruled`)]),
    ...(summary.warnings === 0
      ? []
      : [paint(['yellow'], `${summary.warnings} ${summary.warnings === 1 ? 'warning' : 'warnings'}`)]),
    summary.unreachable === 0 ? '0 unreachable' : paint(['bold', 'red'], `${summary.unreachable} unreachable`),
  ]
  const of = paint.whole(`(${summary.hosts} ${summary.hosts === 1 ? 'host' : 'hosts'}).`)
  return `Plan: ${paint.hang}${parts.join(', ')} ${of}${downtimeWords(summary)}`
}

/** `3 install, 2 start`, in the order of the recap. */
function kindTotals(lines: readonly RecapLine[]): string {
  return Object.keys(actionSigns)
    .map((kind) => ({ kind, total: totalOf(lines, kind) }))
    .flatMap(({ kind, total }) => (total === 0 ? [] : [`${total} ${kind}`]))
    .join(', ')
}

function totalOf(lines: readonly RecapLine[], column: string): number {
  return lines.reduce((sum, { counts }) => sum + (counts[column] ?? 0), 0)
}

function isChange({ kind }: { readonly kind: ActionKind }): boolean {
  return kind !== 'noop'
}

function downtimeWords({ downtime }: PlanSummary): string {
  if (downtime === undefined) return ''
  const { services, longest_s: longest, unknown } = downtime
  const words = [
    services === 1 ? '1 service' : `${services} services`,
    ...(longest === null ? [] : [`${services === 1 ? '' : 'the longest '}${aboutSeconds(longest)}`]),
    ...(unknown === 0 ? [] : [`${unknown === services ? '' : `${unknown} `}never measured`]),
  ]
  return `\nDowntime: ${words.join(', ')}.`
}

function renderUnreachableHost(host: HostPlan, options: PlanTextOptions): string {
  const { paint } = options
  const { host: name, problem } = host
  const line = problem === undefined ? unreachableLine(name, paint) : renderUnreachableHere(name, problem, paint)
  return [line, ...judgements(host, options)].join('\n')
}

function renderHost(host: HostPlan, options: PlanTextOptions): string {
  const { paint } = options
  const text = { paint, shown: new Set<string>() }
  const parts = [
    ...settledFirst(host).map(({ label, note = '' }) => `  ${paint(['yellow'], '↺')} ${paint.hang}${label}: ${note}`),
    ...host.actions.filter(isChange).map((action) => renderChange(action, options, text)),
    ...(options.steps && host.bookkeeping !== undefined ? [indent(renderBookkeeping(host.bookkeeping, paint))] : []),
    ...downtimes(host, paint),
    ...renderFetches(host, options),
    ...judgements(host, options),
    ...unchanged(host, options),
  ]
  return [paint(['bold'], host.host), ...parts].join('\n')
}

/** What the rules say, without refusals. */
function judgements(host: HostPlan, options: PlanTextOptions): readonly string[] {
  const { paint } = options
  return [
    ...host.consented.map((refusal) => indent(renderRefusal(refusal, 'consented', paint))),
    ...(host.approvals_unused ?? []).map((refusal) => indent(renderRefusal(refusal, 'unused', paint))),
    ...renderWarnings(host.warnings, options).map((text) => indent(text)),
  ]
}

/** `downtime: coder (about 20s), writer (never measured, usually seconds)`: the figure of the action with which it begins. */
function downtimes({ downtime = [], actions }: HostPlan, paint: Paint): readonly string[] {
  if (downtime.length === 0) return []
  const each = downtime.map(({ service, seconds, from }) => {
    const words = seconds === null ? (actions.find(({ id }) => id === from)?.downtime ?? '') : aboutSeconds(seconds)
    return `${service} (${words})`
  })
  return [paint(['magenta'], `  downtime: ${paint.hang}${each.join(', ')}`)]
}

function renderChange(action: Action, { paint, verbose, steps }: PlanTextOptions, text: StepsText): string {
  const detail = renderActionDetail(action, { paint, withDiff: action.kind !== 'install' || verbose || steps })
  const sent = steps && action.steps !== undefined ? renderSteps(action.steps, text) : ''
  return [
    indent(renderActionLine(action, paint)),
    ...[detail, sent].filter((one) => one !== '').map((one) => indent(one, 6)),
  ].join('\n')
}

function unchanged(host: HostPlan, { paint, verbose, named = false }: PlanTextOptions): readonly string[] {
  const noops = host.actions.filter((action) => action.kind === 'noop')
  if (noops.length === 0) return []
  if (verbose || named) return noops.map((action) => paint(['dim'], `  · ${paint.hang}ok ${action.service}  ${action.reason}`))
  return [paint(['dim'], `  · ${paint.hang}ok: ${noops.map((action) => action.service).join(', ')}`)]
}

/** False: the recap says enough about the host. */
function hasMoreThanRefusals(host: HostPlan, { verbose, named = false }: PlanTextOptions): boolean {
  const { warnings, consented, approvals_unused = [], actions, fetches = [] } = host
  return (
    verbose ||
    (named && actions.length > 0) ||
    warnings.length + consented.length + approvals_unused.length > 0 ||
    actions.some(isChange) ||
    settledFirst(host).length > 0 ||
    !fetches.every(isThere)
  )
}
