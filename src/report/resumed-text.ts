import { converge } from '../lib/next-command.ts'
import type { ResumedRun, RunReport, StepFound } from '../model/report.ts'
import { indent } from './indent.ts'
import { nextText } from './next-text.ts'
import type { Paint } from './paint.ts'

/** What became of the run that another one goes on with. */
export function renderResumed({ run_id, in_doubt, left }: ResumedRun, paint: Paint): string {
  const lines = [
    ...in_doubt.map((step) => `in doubt: ${paint.hang}${step.host} ${step.service}: ${step.step}\n  ${foundWords(step, paint)}`),
    ...(left.length === 0 ? [] : [leftWords(left, paint)]),
  ]
  return [`Goes on with run ${run_id}.`, ...lines.map((line) => indent(line))].join('\n')
}

/** Of a run that needs nobody to go on with it. */
export function renderNothingLeft({ resumed }: RunReport): string {
  return `Nothing is left to do of run ${resumed?.run_id ?? ''}, and of none before it.`
}

function foundWords({ found }: StepFound, paint: Paint): string {
  if (found === 'done') return `${paint(['green'], '✔')} ${paint.hang}it was done after all`
  if (found === 'not-done') return `${paint(['yellow'], '!')} ${paint.hang}it was not done, or not wholly`
  return `${paint(['yellow'], '?')} ${paint.hang}whether it was done could not be seen`
}

function leftWords(left: readonly string[], paint: Paint): string {
  const hosts = [...new Set(left.map((id) => id.split('/')[0] ?? ''))]
  return [
    `${paint(['dim'], '·')} ${paint.hang}left alone, for that run was not to do it, or had done it: ${left.join(', ')}`,
    `next: ${paint.hang}${nextText(converge(['plan', '--limit', hosts.join(',')]), paint)}`,
  ].join('\n')
}
