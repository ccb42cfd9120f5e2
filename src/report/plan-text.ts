import type { Action, ActionKind } from '../model/action.ts'
import type { HostPlan, Plan, PlanSummary } from '../model/plan.ts'
import { aboutSeconds } from '../simulate/downtime.ts'
import { actionSigns, renderActionDetail, renderActionLine } from './action-text.ts'
import { hostBlocks } from './host-blocks.ts'
import { indent } from './indent.ts'
import { renderLegend } from './legend.ts'
import type { Paint } from './paint.ts'
import { isThere, renderFetches } from './plan-fetch-text.ts'
import { renderPlanRecap } from './plan-recap.ts'
import { renderUnreachableHere, unreachableLine } from './problem-text.ts'
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

/** The plan as people read it, from the same document that `--json` prints. All refusals come first, and nothing else is among them: no diff hides one. */
export function renderPlan(plan: Plan, options: PlanTextOptions): string {
  const { paint, verbose, named = false } = options
  const refusing = plan.hosts.filter(({ refusals }) => refusals.length > 0)
  const others = plan.hosts.filter(
    (host) => host.reachable && (verbose || (named && host.actions.length > 0) || hasMoreThanRefusals(host)),
  )
  const unreachable = plan.hosts.filter((host) => !host.reachable)
  const refused = hostBlocks(refusing, (host) => renderRefusals(host, paint), paint)
  const planned = hostBlocks(others, (host) => renderHost(host, options), paint)
  const unseen = hostBlocks(unreachable, (host) => renderUnreachableHost(host, options), paint)
  const isOnlyPlanned = refusing.length + unreachable.length === 0
  const blocks = [
    ...legends([...new Set([...refusing, ...others, ...unreachable])], options),
    ...under('REFUSED', refused.blocks, paint),
    ...(isOnlyPlanned ? planned.blocks : under('PLANNED', planned.blocks, paint)),
    ...under('UNREACHABLE', unseen.blocks, paint),
    renderPlanRecap(plan.hosts, paint),
    renderSummary(plan, paint),
  ].filter((block) => block !== '')
  const rest = plan.facts_from === undefined ? '' : `\n${paint(['yellow'], restsOn(plan.facts_from))}`
  return refused.finish(planned.finish(unseen.finish(`${blocks.join('\n\n')}${rest}\n`)))
}

function legends(hosts: readonly HostPlan[], { paint, steps }: PlanTextOptions): readonly string[] {
  const sends = steps && hosts.some((host) => host.bookkeeping !== undefined)
  return [[renderLegend(hosts, paint), ...(sends ? [paint(['dim'], stepsLegend)] : [])].filter((line) => line !== '').join('\n')]
}

function under(heading: string, [first, ...rest]: readonly string[], paint: Paint): readonly string[] {
  return first === undefined ? [] : [`${paint(['bold'], heading)}\n${first}`, ...rest]
}

function renderRefusals({ host, refusals }: HostPlan, paint: Paint): string {
  return [paint(['bold'], host), ...refusals.map((refusal) => indent(renderRefusal(refusal, 'refused', paint)))].join('\n')
}

/** One line: the actions, refusals, overruled refusals, warnings and unreachable hosts of a plan; a second one for its downtime. */
export function renderSummary({ summary, hosts }: Pick<Plan, 'summary' | 'hosts'>, paint: Paint): string {
  const overruled = hosts.reduce((sum, { consented }) => sum + consented.length, 0)
  const parts = [
    summary.changes === 0
      ? summary.unreachable > 0
        ? 'nothing to change on reachable hosts'
        : 'nothing to change'
      : `${paint(['bold'], `${summary.changes} to change`)} (${kindTotals(hosts)})`,
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
function kindTotals(hosts: readonly HostPlan[]): string {
  const totals = new Map<string, number>()
  for (const { actions } of hosts) for (const { kind } of actions.filter(isChange)) totals.set(kind, (totals.get(kind) ?? 0) + 1)
  return Object.keys(actionSigns)
    .flatMap((kind) => (totals.has(kind) ? [`${totals.get(kind)} ${kind}`] : []))
    .join(', ')
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
function hasMoreThanRefusals(host: HostPlan): boolean {
  const { warnings, consented, approvals_unused = [], actions, fetches = [] } = host
  return (
    warnings.length + consented.length + approvals_unused.length > 0 ||
    actions.some(isChange) ||
    settledFirst(host).length > 0 ||
    !fetches.every(isThere)
  )
}
