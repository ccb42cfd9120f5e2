import { converge } from '../lib/next-command.ts'
import { indent } from './indent.ts'
import { nextText } from './next-text.ts'
import type { Paint } from './paint.ts'

/** A code, explained by the rule or the error that owns it. */
export interface Explanation {
  readonly code: string
  readonly what: 'refusal' | 'warning' | 'error'
  readonly title: string
  readonly explain: string
  /** Refusals: whether `--allow` may overrule it. */
  readonly consentable?: boolean
  /** Errors: the exit code. */
  readonly exit?: number
}

export function renderExplanation(explanation: Explanation, paint: Paint): string {
  const heading = `${paint(['bold'], explanation.code)}  ${explanation.title}`
  return `${heading}\n\n${indent(explanation.explain)}\n\n${indent(wayOut(explanation, paint))}\n`
}

function wayOut({ code, what, consentable, exit }: Explanation, paint: Paint): string {
  if (what === 'error') return `An error; converge ends with exit code ${exit}.`
  if (what === 'warning') return 'A warning; it blocks nothing.'
  if (consentable !== true) return 'A refusal that cannot be overruled: remove its cause.'
  return nextText(
    converge(['apply', '--allow', `${code}@SERVICE`], { say: 'A refusal. To overrule it:', fillIn: '--reason "why"' }),
    paint,
  )
}

/** One line per code. */
export function renderCodeList(explanations: readonly Explanation[], paint: Paint): string {
  const width = Math.max(...explanations.map((one) => one.code.length))
  return explanations
    .map((one) => `${paint(['bold'], one.code.padEnd(width))}  ${one.what.padEnd(7)}  ${paint.hang}${one.title}\n`)
    .join('')
}
