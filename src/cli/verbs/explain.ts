import { exitCodes } from '../../context/exit-code.ts'
import { catalogue } from '../../errors/catalogue.ts'
import { ConvergeError } from '../../errors/converge-error.ts'
import { nearest } from '../../inventory/did-you-mean.ts'
import { rules } from '../../policy/index.ts'
import { type Explanation, renderCodeList, renderExplanation } from '../../report/explanation-text.ts'
import type { Paint } from '../../report/paint.ts'
import { deliver } from '../../run/deliver.ts'
import { withOutput } from '../options.ts'
import type { Verb } from '../verb.ts'

/** `converge explain CODE`: the words live with the rule or the error itself. */
export const verb: Verb = {
  configure(command, finish) {
    withOutput(command)
      .argument('[code]', 'a code such as WARM.RESTART (default: list all codes)')
      .action((code, options) =>
        finish(async (context) => {
          const known = explanations()
          const shown = code === undefined ? known : [find(known, code)]
          const text = (paint: Paint) =>
            code === undefined ? renderCodeList(known, paint) : shown.map((one) => renderExplanation(one, paint)).join('\n')
          await deliver({ context, flags: options }, { document: { schema: 'converge/explanations/v1', codes: shown }, text })
          return exitCodes.done
        }),
      )
  },
}

/** Every refusal, warning and error, in the order of the alphabet. */
export function explanations(): readonly Explanation[] {
  return [
    ...rules.map(
      (rule): Explanation => ({
        code: rule.code,
        what: rule.severity === 'refuse' ? 'refusal' : 'warning',
        title: rule.title,
        explain: rule.explain,
        consentable: rule.consentable,
      }),
    ),
    ...Object.entries(catalogue).map(
      ([code, entry]): Explanation => ({ code, what: 'error', title: entry.title, explain: entry.explain, exit: entry.exit }),
    ),
  ].toSorted((a, b) => a.code.localeCompare(b.code))
}

function find(known: readonly Explanation[], code: string): Explanation {
  const wanted = code.toUpperCase()
  const found = known.find((one) => one.code === wanted)
  if (found !== undefined) return found
  const meant = nearest(
    wanted,
    known.map((one) => one.code),
  )
  const hint = meant === undefined ? [] : [`Did you mean ${meant}?`]
  throw new ConvergeError('USAGE.CODE', {
    summary: 'Unknown code.',
    why: `No refusal, warning or error is called ${code}.`,
    next: [...hint, '`converge explain` lists all codes.'],
  })
}
