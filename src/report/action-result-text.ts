import { hostItself } from '../model/action.ts'
import type { Problem } from '../model/plan.ts'
import { type ActionResult, failedLater } from '../model/report.ts'
import { duration } from './duration.ts'
import { indent } from './indent.ts'
import type { Paint } from './paint.ts'

export interface ResultContext {
  readonly paint: Paint
  readonly explain: (problem: Problem) => string
}

/** `✔ start coder  3.5s`; below a failed action what happened, whether it was rolled back, and what it did on the host before. */
export function renderResult(result: ActionResult, context: ResultContext): string {
  const { paint } = context
  const [, service = '', kind = ''] = result.action.split('/')
  const name = service === hostItself ? kind : `${kind} ${service}`
  const time = paint(['dim'], duration(result.ms))
  if (result.status === 'applied') {
    const left = result.left === undefined ? '' : `\n    ${paint(['yellow'], '!')} ${paint.hang}${result.left}`
    return `${paint(['green'], '✔')} ${paint.hang}${name}  ${time}${left}`
  }
  if (result.status === 'not-needed')
    return `${paint(['dim'], '·')} ${paint.hang}${name}  not needed: already in the desired state`
  if (result.status === 'refused') return `${paint(['red'], '✗')} ${paint.hang}${name}  refused`
  if (result.status === 'not-run') return `${paint(['dim'], '-')} ${paint.hang}${name}  not run${notRunWords(result, context)}`
  const sign = failedLater(result) ? '!' : '✗'
  return [`${paint(['red'], sign)} ${paint.hang}${name}  ${endWords(result, time)}`, ...failureLines(result, context)].join('\n')
}

/** An action that succeeded, and was to be rolled back for the failure of a later one, did not fail itself. */
function endWords(result: ActionResult, time: string): string {
  if (!failedLater(result)) return `failed after ${time}`
  return `done in ${time}; ${result.undone === 'restored' ? 'then rolled back' : 'could not be rolled back'}`
}

function failureLines(result: ActionResult, context: ResultContext): readonly string[] {
  const { problem, undone, rollback_stopped_at: stuck } = result
  const ofResult = failedLater(result) ? undefined : undone && rollbackWords[undone]
  const rollback = stuck === undefined ? ofResult : `NOT rolled back: the rollback stopped at ${stuck}`
  return [
    ...(problem === undefined ? [] : [explained(result, problem, context)]),
    ...(rollback === undefined ? [] : [rollback]),
    ...leftLines(result, context.paint),
  ].map((text) => indent(text, 4))
}

function notRunWords(result: ActionResult, context: ResultContext): string {
  const { left, problem } = result
  if (problem !== undefined) return `\n${indent(explained(result, problem, context), 4)}`
  return left === undefined ? '' : `: ${left}`
}

/** The line above names host and service, so the reason alone says what happened. */
function explained({ action }: ActionResult, problem: Problem, { explain }: ResultContext): string {
  const [host = '', service = ''] = action.split('/')
  const place = `On ${host}, for service ${service}: `
  if (!problem.why.startsWith(place)) return explain(problem)
  const rest = problem.why.slice(place.length)
  return explain({ ...problem, summary: '', why: `${rest.charAt(0).toUpperCase()}${rest.slice(1)}` })
}

const rollbackWords: Readonly<Record<NonNullable<ActionResult['undone']>, string>> = {
  restored: 'rolled back: the previous state is restored',
  failed: 'NOT rolled back: the rollback failed as well',
  'not-possible': 'not rolled back: no safe rollback exists',
  'not-begun': 'not rolled back: an interrupted action stays as it is, and the next run continues from there',
  'not-needed': 'nothing was changed',
  'left-to-host': 'not rolled back by this run: the host rolls back on its own',
}

function leftLines({ left, done, stopped_at, problem }: ActionResult, paint: Paint): readonly string[] {
  // An interrupted run did not begin this step, as its message says.
  const stopped = problem?.code === 'APPLY.INTERRUPTED' ? undefined : stopped_at
  return [
    ...(stopped_at === undefined || done.length === 0
      ? []
      : ['already done on the host:', ...done.map((step) => `  ${paint.hang}${step}`)]),
    ...(stopped === undefined ? [] : [`stopped at: ${paint.hang}${stopped}`]),
    ...(left === undefined ? [] : [`left: ${paint.hang}${left}`]),
  ]
}
