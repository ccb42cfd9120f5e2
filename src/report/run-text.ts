import { converge } from '../lib/next-command.ts'
import type { Problem } from '../model/plan.ts'
import type { Refusal } from '../model/refusal.ts'
import type { ActionResult, HostReport, RunReport, SmokeCheck, SmokeResult } from '../model/report.ts'
import { isAllDone } from './all-done.ts'
import { duration } from './duration.ts'
import { problemExplainer } from './explain-problems.ts'
import { hostBlocks } from './host-blocks.ts'
import { indent } from './indent.ts'
import { nextText } from './next-text.ts'
import type { Paint } from './paint.ts'
import { renderRefusal } from './refusal-text.ts'
import { isInterrupted, resumeCommands } from './resume-commands.ts'
import { renderNothingLeft, renderResumed } from './resumed-text.ts'
import { renderRunRecap } from './run-recap.ts'
import { type Unsettled, unsettledIn } from './unsettled.ts'
import { whyText } from './why-text.ts'

/** What a run did and proved, host by host, as people read it. The plan was shown before. */
export function renderRun(report: RunReport, paint: Paint): string {
  const eventful = report.hosts.filter((host) => !host.reachable || host.actions.length + host.smoke.length > 0)
  const context = { paint, explain: problemExplainer(paint, !isInterrupted(report)) }
  const { blocks, finish } = hostBlocks(
    eventful,
    (host) => renderHostReport(host, consentedOn(report, host.host), context),
    paint,
  )
  if (report.verb === 'resume' && report.plan === undefined) return `${renderNothingLeft(report)}\n`
  const first = report.resumed === undefined ? [] : [renderResumed(report.resumed, paint)]
  const parts = [...first, ...blocks, renderRunRecap(report, paint), renderEnd(report, paint)]
  return finish(`${parts.filter((part) => part !== '').join('\n\n')}\n`)
}

/** Refusals that an approval overruled, with its reason: they belong to the record of a run. */
function consentedOn({ plan }: RunReport, name: string): readonly Refusal[] {
  return plan?.hosts.find((host) => host.host === name)?.consented ?? []
}

interface ResultContext {
  readonly paint: Paint
  readonly explain: (problem: Problem) => string
}

function renderHostReport(host: HostReport, consented: readonly Refusal[], context: ResultContext): string {
  const { paint, explain } = context
  const lines = [paint(['bold'], host.host)]
  lines.push(...consented.map((refusal) => indent(renderRefusal(refusal, 'consented', paint))))
  if (host.problem !== undefined) lines.push(indent(explain(host.problem)))
  lines.push(...host.actions.map((result) => indent(renderResult(result, context))))
  lines.push(...host.smoke.map((smoke) => indent(renderSmoke(smoke, paint))))
  return lines.join('\n')
}

function renderResult(result: ActionResult, context: ResultContext): string {
  const { paint, explain } = context
  const name = result.action.split('/').slice(1).join(' ')
  const time = paint(['dim'], duration(result.ms))
  if (result.status === 'applied') {
    const left = result.left === undefined ? '' : `\n    ${paint(['yellow'], '!')} ${paint.hang}${result.left}`
    return `${paint(['green'], '✔')} ${paint.hang}${name}  ${time}${left}`
  }
  if (result.status === 'not-needed') return `${paint(['dim'], '·')} ${paint.hang}${name}  not needed: already as wanted`
  if (result.status === 'refused') return `${paint(['red'], '✗')} ${paint.hang}${name}  refused`
  if (result.status === 'not-run') return `${paint(['dim'], '·')} ${paint.hang}${name}  not run${notRunWords(result, context)}`
  const lines = [`${paint(['red'], '✗')} ${paint.hang}${name}  failed after ${time}`]
  if (result.problem !== undefined) lines.push(indent(explain(result.problem), 4))
  if (result.undone !== undefined) lines.push(`    ${undoWords[result.undone]}`)
  if (result.left !== undefined) lines.push(`    left: ${paint.hang}${result.left}`)
  return lines.join('\n')
}

function notRunWords({ left, problem }: ActionResult, { explain }: ResultContext): string {
  if (problem !== undefined) return `\n${indent(explain(problem), 4)}`
  return left === undefined ? '' : `: ${left}`
}

const undoWords: Readonly<Record<NonNullable<ActionResult['undone']>, string>> = {
  restored: 'rolled back: the previous state is restored',
  failed: 'NOT rolled back: the rollback failed as well',
  'not-possible': 'not rolled back: no safe rollback exists',
  'not-begun': 'not rolled back: the run was interrupted',
  'not-needed': 'nothing was changed',
  'left-to-host': 'not rolled back by this run: the host rolls back on its own',
}

/** `✔ coder  works: health 0.4 s · models · key · completion 0.2 s` and one line for what failed. */
export function renderSmoke(smoke: SmokeResult, paint: Paint): string {
  const failed = smoke.checks.filter((check) => !check.ok && check.skipped === undefined)
  // Most fleets have no client application.
  const skipped = smoke.checks.filter((check) => check.name !== 'client' && check.skipped !== undefined)
  const asked = smoke.checks.filter((check) => check.skipped === undefined)
  // Beside a cross, an unmarked check reads as failed.
  const passed = failed.length > 0 ? paint(['green'], ' ✔') : ''
  const results = [...asked.map((check) => renderCheck(check, { paint, passed })), ...renderSkipped(skipped, paint)].join(
    paint(['dim'], ' · '),
  )
  if (smoke.ok) return `${paint(['green'], '✔')} ${paint.hang}${smoke.service}  works: ${results}`
  const why = failed.map((check) => `\n${indent(`${check.name}: ${whyText(check.detail)}`, 4)}`).join('')
  // Nothing failed: a check was skipped.
  if (failed.length === 0) return `${paint(['yellow'], '?')} ${paint.hang}${smoke.service}  not proved: ${results}`
  return `${paint(['red'], '✗')} ${paint.hang}${smoke.service}  does not work: ${results}${why}`
}

function renderCheck(check: SmokeCheck, { paint, passed }: { readonly paint: Paint; readonly passed: string }): string {
  const time = check.name === 'health' || check.name === 'completion' ? ` ${duration(check.ms)}` : ''
  return check.ok ? `${check.name}${passed}${time}` : paint(['red'], `${check.name} ✗`)
}

/** One phrase for all checks that were skipped for the same reason. */
function renderSkipped(skipped: readonly SmokeCheck[], paint: Paint): readonly string[] {
  const byReason = Map.groupBy(skipped, (check) => check.skipped)
  return [...byReason].map(([reason, checks]) =>
    paint(['dim'], `skipped: ${checks.map(({ name }) => name).join(', ')} (${reason})`),
  )
}

/** One line: what a run applied, refused and proved. */
export function renderEnd(report: RunReport, paint: Paint): string {
  const actions = report.hosts.flatMap((host) => host.actions)
  const count = (status: ActionResult['status']) => actions.filter((result) => result.status === status).length
  const refused = report.plan?.summary.refusals ?? 0
  const smoke = report.hosts.flatMap((host) => host.smoke)
  const broken = smoke.filter((result) => !result.ok).length
  const parts = [
    ...(report.verb === 'verify' ? [] : [`${count('applied')} applied`]),
    ...(count('failed') > 0 ? [paint(['bold', 'red'], `${count('failed')} failed`)] : []),
    ...(refused > 0 ? [paint(['bold', 'red'], `${refused} refused`)] : []),
    ...(count('not-run') > 0 ? [`${count('not-run')} not run`] : []),
    ...(smoke.length > 0 ? [`${smoke.length - broken} of ${smoke.length} proved to work`] : []),
    ...(report.hosts.some((host) => !host.reachable)
      ? [paint(['bold', 'red'], `${report.hosts.filter((host) => !host.reachable).length} unreachable`)]
      : []),
  ]
  const head = report.exit_code === 130 ? paint(['bold', 'yellow'], 'Interrupted') : 'Done'
  if (parts.length === 0) return `${head}: nothing to prove; no selected service is wanted running.`
  return `${head}: ${parts.join(', ')}.${secondPlanWords(report)}${nextWords(report, paint)}`
}

/** Services that the run left down or in doubt, and the command that finishes it. */
function nextWords(report: RunReport, paint: Paint): string {
  const unsettled = unsettledIn(report)
  const next = resumeCommands(report).map(
    ({ words, does }) => `next: ${paint.hang}${nextText(converge(words, { note: does }), paint)}`,
  )
  const each = (state: Unsettled['state']) =>
    unsettled.filter((one) => one.state === state).map(({ host, service }) => `${service} on ${host}`)
  const [down, doubt] = [each('down'), each('in-doubt')]
  return [
    ...(down.length === 0 ? [] : [`left down: ${paint.hang}${down.join(', ')}`]),
    ...(doubt.length === 0
      ? []
      : [`in doubt: ${paint.hang}${doubt.join(', ')} (unknown whether it runs, and with which definition)`]),
    ...next,
  ]
    .map((line) => `\n${line}`)
    .join('')
}

function secondPlanWords(report: RunReport): string {
  const second = report.second_plan
  if (second === undefined) return ''
  if (second.changes > 0) return ` A second plan is NOT empty: ${second.actions.join(', ')}.`
  const again = new Set(report.hosts.filter((one) => one.actions.length > 0 && isAllDone(one)).map(({ host }) => host))
  const refusing = (report.plan?.hosts ?? []).filter(({ refusals }) => refusals.length > 0)
  const ofWhat = refusing.every(({ host }) => again.has(host)) ? '' : ' of the hosts that were checked again'
  const found = refusing.some(({ host }) => again.has(host)) ? 'contains only refusals' : 'is empty'
  return ` A second plan${ofWhat} ${found}.`
}
