import type { Problem } from '../model/plan.ts'
import type { Paint } from './paint.ts'
import { nextLines, renderProblem } from './problem-text.ts'
import { whyText } from './why-text.ts'

/**
 * Tells problems one after another; what was said of one is not said again of the next: who interrupts a run over twenty hosts does not
 * want to read one paragraph twenty times.
 *
 * @param withNext false: what to do next is told once, by whoever asks for this
 */
export function problemTeller(paint: Paint, withNext: boolean): (problem: Problem) => string {
  const told = new Set<string>()
  const isNew = (text: string) => !told.has(text) && told.add(text) !== undefined
  return (problem) => {
    const { code, summary, why } = problem
    const next = withNext ? problem.next.filter((one) => isNew(String(one))) : []
    const isKnown = !isNew(`${code} ${summary}`)
    if (!isNew(`${code} ${why}`)) return `${paint(['red'], code)}  as above`
    if (!isKnown) return renderProblem({ ...problem, next }, paint)
    return [`${paint(['red'], code)}  ${whyText(why)}`, ...nextLines(next, paint)].join('\n')
  }
}
