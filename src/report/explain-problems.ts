import type { Problem } from '../model/plan.ts'
import type { Paint } from './paint.ts'
import { nextLines, renderProblem } from './problem-text.ts'
import { whyText } from './why-text.ts'

/**
 * Explains problems one after another, without an empty summary, and never repeats a paragraph: an interrupted run over twenty hosts has the same one twenty times.
 *
 * @param withNext false: the caller shows what to do next, once
 */
export function problemExplainer(paint: Paint, withNext: boolean): (problem: Problem) => string {
  const shown = new Set<string>()
  const isNew = (text: string) => !shown.has(text) && shown.add(text) !== undefined
  return (problem) => {
    const { code, summary, why } = problem
    const next = withNext ? problem.next.filter((one) => isNew(String(one))) : []
    const isKnown = summary === '' || !isNew(`${code} ${summary}`)
    if (!isNew(`${code} ${why}`)) return `${paint(['red'], code)}  as above`
    if (!isKnown) return renderProblem({ ...problem, next }, paint)
    return [`${paint(['red'], code)}  ${whyText(why)}`, ...nextLines(next, paint)].join('\n')
  }
}
