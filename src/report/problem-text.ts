import type { NextStep } from '../model/next-step.ts'
import type { Problem } from '../model/plan.ts'
import { indent } from './indent.ts'
import { nextText } from './next-text.ts'
import type { Paint } from './paint.ts'
import { whyText } from './why-text.ts'

/** An error as people read it: what is wrong, why it matters, what to do next. @param listing whole lines, shown between the last two */
export function renderProblem({ code, summary, why, next }: Problem, paint: Paint, listing = ''): string {
  return [`${paint(['red'], code)}  ${summary}`, whyText(why), listing === '' ? '' : `\n${listing}\n`, ...nextLines(next, paint)]
    .filter((line) => line !== '')
    .join('\n')
}

export function nextLines(next: readonly NextStep[], paint: Paint): readonly string[] {
  return next.map((step, index) => `${index === 0 ? 'next: ' : '      '}${paint.hang}${nextText(step, paint)}`)
}

/** An unreachable host, with its problem. */
export function renderUnreachable(host: string, problem: Problem, paint: Paint): string {
  return `${unreachableLine(host, paint)}\n${indent(renderCause(problem, paint))}`
}

/** The same under a heading that says that it is unreachable: `box  CONNECT.TIMEOUT  …`. */
export function renderUnreachableHere(host: string, problem: Problem, paint: Paint): string {
  const [first = '', ...rest] = renderCause(problem, paint).split('\n')
  return [`${paint(['bold'], host)}  ${first}`, ...rest.map((line) => indent(line))].join('\n')
}

/** The reason of a failed connection contains its summary. */
function renderCause(problem: Problem, paint: Paint): string {
  const { code, why, next } = problem
  if (!code.startsWith('CONNECT.')) return renderProblem(problem, paint)
  return [`${paint(['red'], code)}  ${whyText(why)}`, ...nextLines(next, paint)].join('\n')
}

export function unreachableLine(host: string, paint: Paint): string {
  return `${paint(['bold'], host)}  ${paint(['red'], 'unreachable')}`
}
