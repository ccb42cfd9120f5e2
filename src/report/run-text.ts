import prettyMs from 'pretty-ms'
import { converge } from '../lib/next-command.ts'
import type { Problem } from '../model/plan.ts'
import type { Refusal } from '../model/refusal.ts'
import type { ActionResult, HostReport, RunReport, SmokeCheck, SmokeResult } from '../model/report.ts'
import { isAllDone } from './all-done.ts'
import { hostBlocks } from './host-blocks.ts'
import { indent } from './indent.ts'
import { nextText } from './next-text.ts'
import type { Paint } from './paint.ts'
import { renderRefusal } from './refusal-text.ts'
import { isInterrupted, resumeCommands } from './resume-commands.ts'
import { renderNothingLeft, renderResumed } from './resumed-text.ts'
import { problemTeller } from './told-problems.ts'
import { type Unsettled, unsettledIn } from './unsettled.ts'
import { whyText } from './why-text.ts'

/** What a run did and proved, host by host, as people read it. */
export function renderRun(report: RunReport, paint: Paint): string {
  const told = report.hosts.filter((host) => !host.reachable || host.actions.length + host.smoke.length > 0)
  const telling = { paint, tell: problemTeller(paint, !isInterrupted(report)) }
  const { blocks, finish } = hostBlocks(told, (host) => renderHostReport(host, approvedOn(report, host.host), telling), paint)
  if (report.verb === 'resume' && report.plan === undefined) return `${renderNothingLeft(report)}\n`
  const first = report.resumed === undefined ? [] : [renderResumed(report.resumed, paint)]
  return finish(`${[...first, ...blocks, renderEnd(report, paint)].join('\n\n')}\n`)
}

/** What was overruled there, and why: it belongs to the record of a run. */
function approvedOn({ plan }: RunReport, name: string): readonly Refusal[] {
  return plan?.hosts.find((host) => host.host === name)?.consented ?? []
}

interface Telling {
  readonly paint: Paint
  readonly tell: (problem: Problem) => string
}

function renderHostReport(host: HostReport, consented: readonly Refusal[], telling: Telling): string {
  const { paint, tell } = telling
  const lines = [paint(['bold'], host.host)]
  lines.push(...consented.map((refusal) => indent(renderRefusal(refusal, 'consented', paint))))
  if (host.problem !== undefined) lines.push(indent(tell(host.problem)))
  lines.push(...host.actions.map((result) => indent(renderResult(result, telling))))
  lines.push(...host.smoke.map((smoke) => indent(renderSmoke(smoke, paint))))
  return lines.join('\n')
}

function renderResult(result: ActionResult, telling: Telling): string {
  const { paint, tell } = telling
  const name = result.action.split('/').slice(1).join(' ')
  const time = paint(['dim'], duration(result.ms))
  if (result.status === 'applied') {
    const left = result.left === undefined ? '' : `\n    ${paint(['yellow'], '!')} ${paint.hang}${result.left}`
    return `${paint(['green'], '✔')} ${paint.hang}${name}  ${time}${left}`
  }
  if (result.status === 'not-needed') return `${paint(['dim'], '·')} ${paint.hang}${name}  is not needed any more`
  if (result.status === 'refused') return `${paint(['red'], '✗')} ${paint.hang}${name}  refused`
  if (result.status === 'not-run') return `${paint(['dim'], '·')} ${paint.hang}${name}  not run${notRunWords(result, telling)}`
  const lines = [`${paint(['red'], '✗')} ${paint.hang}${name}  failed after ${time}`]
  if (result.problem !== undefined) lines.push(indent(tell(result.problem), 4))
  if (result.undone !== undefined) lines.push(`    ${undoWords[result.undone]}`)
  if (result.left !== undefined) lines.push(`    left: ${paint.hang}${result.left}`)
  return lines.join('\n')
}

function notRunWords({ left, problem }: ActionResult, { tell }: Telling): string {
  if (problem !== undefined) return `\n${indent(tell(problem), 4)}`
  return left === undefined ? '' : `: ${left}`
}

const undoWords: Readonly<Record<NonNullable<ActionResult['undone']>, string>> = {
  restored: 'undone: the previous state is back',
  failed: 'NOT undone: putting the previous state back failed as well',
  'not-possible': 'not undone: there is no safe rollback',
  'not-begun': 'not undone: the run was interrupted',
  'not-needed': 'nothing had been changed',
  'left-to-host': 'not undone by this run: the host does it by itself',
}

/** `✔ coder  works: health 0.4 s · models · key · completion 0.2 s` and one line for what failed. */
export function renderSmoke(smoke: SmokeResult, paint: Paint): string {
  const failed = smoke.checks.filter((check) => !check.ok && check.skipped === undefined)
  // A fleet without a client application is the usual case and not worth a word.
  const skipped = smoke.checks.filter((check) => check.name !== 'client' && check.skipped !== undefined)
  const asked = smoke.checks.filter((check) => check.skipped === undefined)
  // Behind a cross, what is not marked would read as failed.
  const passed = failed.length > 0 ? paint(['green'], ' ✔') : ''
  const told = [...asked.map((check) => renderCheck(check, { paint, passed })), ...renderSkipped(skipped, paint)].join(
    paint(['dim'], ' · '),
  )
  if (smoke.ok) return `${paint(['green'], '✔')} ${paint.hang}${smoke.service}  works: ${told}`
  const why = failed.map((check) => `\n${indent(`${check.name}: ${whyText(check.detail)}`, 4)}`).join('')
  // Where nothing failed, something was not looked at, which is not the same.
  if (failed.length === 0) return `${paint(['yellow'], '?')} ${paint.hang}${smoke.service}  was not proved: ${told}`
  return `${paint(['red'], '✗')} ${paint.hang}${smoke.service}  does not work: ${told}${why}`
}

function renderCheck(check: SmokeCheck, { paint, passed }: { readonly paint: Paint; readonly passed: string }): string {
  const time = check.name === 'health' || check.name === 'completion' ? ` ${duration(check.ms)}` : ''
  return check.ok ? `${check.name}${passed}${time}` : paint(['red'], `${check.name} ✗`)
}

/** One phrase for all that were left out for the same reason. */
function renderSkipped(skipped: readonly SmokeCheck[], paint: Paint): readonly string[] {
  const byReason = Map.groupBy(skipped, (check) => check.skipped)
  return [...byReason].map(([reason, checks]) =>
    paint(['dim'], `skipped: ${checks.map(({ name }) => name).join(', ')} (${reason})`),
  )
}

/** One line: what was done, refused and proved. */
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
  if (parts.length === 0) return `${head}: nothing to prove, for no service that was selected is wanted running.`
  return `${head}: ${parts.join(', ')}.${secondPlanWords(report)}${nextWords(report, paint)}`
}

/** What is not as anybody wants it, and how to go on; on this machine that works from wherever one is. */
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
    ...(doubt.length === 0 ? [] : [`in doubt: ${paint.hang}${doubt.join(', ')} (it may run or not, as before or as wanted)`]),
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
  const ofWhat = refusing.every(({ host }) => again.has(host)) ? '' : ' of the hosts that were looked at again'
  const found = refusing.some(({ host }) => again.has(host)) ? 'holds nothing but what is refused' : 'is empty'
  return ` A second plan${ofWhat} ${found}.`
}

function duration(ms: number): string {
  return prettyMs(ms, { secondsDecimalDigits: 1, ...(ms < 1000 ? {} : { unitCount: 2 }) })
}
