import type { Refusal } from '../model/refusal.ts'
import { type HostReport, type RunReport, requestIn, type SmokeCheck, type SmokeResult } from '../model/report.ts'
import { type ResultContext, renderResult } from './action-result-text.ts'
import { isAllDone } from './all-done.ts'
import { checkWords } from './check-words.ts'
import { type ActionCounts, countActions } from './count-actions.ts'
import { duration } from './duration.ts'
import { problemExplainer } from './explain-problems.ts'
import { hostBlocks } from './host-blocks.ts'
import { indent } from './indent.ts'
import type { Paint } from './paint.ts'
import { renderRefusal } from './refusal-text.ts'
import { isInterrupted } from './resume-commands.ts'
import { renderNothingLeft, renderResumed } from './resumed-text.ts'
import { renderHeadline } from './run-headline.ts'
import { renderRunRecap } from './run-recap.ts'
import { whyText } from './why-text.ts'

/** What a run did and verified, as people read it: first what needs a person, then each host, last the totals. The plan was shown before. */
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
  const parts = [renderHeadline(report, paint), ...first, ...blocks, renderRunRecap(report, paint), renderEnd(report, paint)]
  return finish(`${parts.filter((part) => part !== '').join('\n\n')}\n`)
}

/** Refusals that an approval overruled, with its reason: they belong to the record of a run. */
function consentedOn({ plan }: RunReport, name: string): readonly Refusal[] {
  return plan?.hosts.find((host) => host.host === name)?.consented ?? []
}

function renderHostReport(host: HostReport, consented: readonly Refusal[], context: ResultContext): string {
  const { paint, explain } = context
  const lines = [paint(['bold'], host.host)]
  lines.push(...consented.map((refusal) => indent(renderRefusal(refusal, 'consented', paint))))
  if (host.problem !== undefined) lines.push(indent(explain(host.problem)))
  // Those of one service together.
  const byService = Map.groupBy(host.actions, ({ action }) => action.split('/')[1])
  lines.push(...[...byService.values()].flat().map((result) => indent(renderResult(result, context))))
  lines.push(...host.smoke.map((smoke) => indent(renderSmoke(smoke, paint))))
  return lines.join('\n')
}

/** `✔ coder  verified: health 37ms · models · key · chat 5ms` and one line for what failed. */
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
  if (smoke.ok) return `${paint(['green'], '✔')} ${paint.hang}${smoke.service}  verified: ${results}`
  const why = failed.map((check) => `\n${indent(`${checkWords[check.name]}: ${whyText(check.detail)}`, 4)}`).join('')
  // Nothing failed: a check was skipped.
  if (failed.length === 0) return `${paint(['yellow'], '?')} ${paint.hang}${smoke.service}  not verified: ${results}`
  return `${paint(['red'], '✗')} ${paint.hang}${smoke.service}  does not work: ${results}${why}`
}

function renderCheck(check: SmokeCheck, { paint, passed }: { readonly paint: Paint; readonly passed: string }): string {
  const time = check.name === 'health' || requestIn([check]) !== undefined ? ` ${duration(check.ms)}` : ''
  const words = checkWords[check.name]
  return check.ok ? `${words}${passed}${time}` : paint(['red'], `${words} ✗`)
}

/** One phrase for all checks that were skipped for the same reason. */
function renderSkipped(skipped: readonly SmokeCheck[], paint: Paint): readonly string[] {
  const byReason = Map.groupBy(skipped, (check) => check.skipped)
  return [...byReason].map(([reason, checks]) =>
    paint(['dim'], `skipped: ${checks.map(({ name }) => checkWords[name]).join(', ')} (${reason})`),
  )
}

/** One line: what a run applied, refused and verified. */
export function renderEnd(report: RunReport, paint: Paint): string {
  const counts = countActions(report.hosts.flatMap((host) => host.actions))
  const refused = report.plan?.summary.refusals ?? 0
  const smoke = report.hosts.flatMap((host) => host.smoke)
  const broken = smoke.filter((result) => !result.ok).length
  const parts = [
    ...(report.verb === 'verify' ? [] : [`${counts.applied} applied`]),
    ...failureParts(counts, paint),
    ...(refused > 0 ? [paint(['bold', 'red'], `${refused} refused`)] : []),
    ...(counts.notRun > 0 ? [`${counts.notRun} not run`] : []),
    ...(smoke.length > 0
      ? [`${smoke.length - broken} of ${smoke.length} ${smoke.length === 1 ? 'server' : 'servers'} verified`]
      : []),
    ...(report.hosts.some((host) => !host.reachable)
      ? [paint(['bold', 'red'], `${report.hosts.filter((host) => !host.reachable).length} unreachable`)]
      : []),
  ]
  const head = report.exit_code === 130 ? paint(['bold', 'yellow'], 'Interrupted') : 'Done'
  if (parts.length === 0) return `${head}: nothing to verify; the inventory wants no selected service running.`
  return `${head}: ${parts.join(', ')}.${secondPlanWords(report)}`
}

/** `3 failed (2 partly done)`, `1 rolled back`, `2 done but not rolled back`. */
function failureParts({ failed, partlyDone, rolledBack, notRolledBack }: ActionCounts, paint: Paint): readonly string[] {
  const partly = partlyDone === 0 ? '' : ` (${partlyDone} partly done)`
  return [
    ...(failed > 0 ? [`${paint(['bold', 'red'], `${failed} failed`)}${partly}`] : []),
    ...(rolledBack > 0 ? [paint(['yellow'], `${rolledBack} rolled back`)] : []),
    ...(notRolledBack > 0 ? [paint(['bold', 'red'], `${notRolledBack} done but not rolled back`)] : []),
  ]
}

/** Its second plan is not one of the inventory, but of what was asked for again. */
function isOperation(verb: RunReport['verb']): boolean {
  return verb !== 'apply' && verb !== 'resume' && verb !== 'verify'
}

function secondPlanWords(report: RunReport): string {
  const second = report.second_plan
  if (second === undefined) return ''
  if (second.changes > 0) return ` A second plan is NOT empty: ${second.actions.join(', ')}.`
  const again = new Set(report.hosts.filter((one) => one.actions.length > 0 && isAllDone(one)).map(({ host }) => host))
  const refusing = (report.plan?.hosts ?? []).filter(({ refusals }) => refusals.length > 0)
  const isOfAll = refusing.every(({ host }) => again.has(host))
  if (!refusing.some(({ host }) => again.has(host)))
    return isOperation(report.verb)
      ? ' Nothing of it is left to do.'
      : ` A second plan${isOfAll ? '' : ' of the hosts that were checked again'} is empty.`
  return isOfAll ? ' Only refused changes remain.' : ' On the hosts that were checked again, only refused changes remain.'
}
