import { converge } from '../lib/next-command.ts'
import type { ResumedRun, RunReport, StepFound } from '../model/report.ts'
import { indent } from './indent.ts'
import { nextText } from './next-text.ts'
import type { Paint } from './paint.ts'

/** What a look at the hosts shows of the run that this one resumes. */
export function renderResumed({ run_id, in_doubt, left }: ResumedRun, paint: Paint): string {
  const lines = [
    ...in_doubt.map((step) => `in doubt: ${paint.hang}${step.host} ${step.service}: ${step.step}\n  ${foundWords(step, paint)}`),
    ...(left.length === 0 ? [] : [leftWords(left, paint)]),
  ]
  return [`Resumes run ${run_id}.`, ...lines.map((line) => indent(line))].join('\n')
}

/** For a run that is complete. */
export function renderNothingLeft({ resumed }: RunReport): string {
  return `Nothing to resume: run ${resumed?.run_id ?? ''} and all runs before it are complete.`
}

function foundWords({ found }: StepFound, paint: Paint): string {
  if (found === 'done') return `${paint(['green'], '✔')} ${paint.hang}done`
  if (found === 'not-done') return `${paint(['yellow'], '!')} ${paint.hang}not done, or only in part`
  return `${paint(['yellow'], '?')} ${paint.hang}unknown whether it was done`
}

function leftWords(left: readonly string[], paint: Paint): string {
  const hosts = [...new Set(left.map((id) => id.split('/')[0] ?? ''))]
  return [
    `${paint(['dim'], '·')} ${paint.hang}not part of this run: that run did not plan it, or completed it: ${left.join(', ')}`,
    `next: ${paint.hang}${nextText(converge(['plan', '--limit', hosts.join(',')]), paint)}`,
  ].join('\n')
}
