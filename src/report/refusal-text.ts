import { wrapText } from '../lib/wrap-text.ts'
import type { Refusal } from '../model/refusal.ts'
import { indent } from './indent.ts'
import { nextText } from './next-text.ts'
import type { Paint, PaintStyle } from './paint.ts'

/** Columns of running text; with what stands before it, it fits a terminal of 100. */
const proseWidth = 90

type Standing = 'refused' | 'consented' | 'unused' | 'warning'

const headings: Readonly<Record<Standing, { readonly word: string; readonly style: PaintStyle }>> = {
  refused: { word: '✗ refused', style: 'red' },
  consented: { word: '! overruled', style: 'yellow' },
  unused: { word: '! approved, and not used', style: 'yellow' },
  warning: { word: '! warning', style: 'yellow' },
}

/** A refusal or warning with its reason, evidence and ways out. */
export function renderRefusal(refusal: Refusal, as: Standing, paint: Paint): string {
  const { word, style } = headings[as]
  const about = refusal.service === undefined ? '' : ` ${paint(['bold'], refusal.service)}`
  const lines = [`${paint([style], word)}${about}  ${paint([style], refusal.code)}  ${refusal.summary}`]
  if (refusal.consent !== undefined) lines.push(`    by consent: ${refusal.consent.reason}${until(refusal.consent.until)}`)
  if (as === 'consented' || as === 'unused') return lines.join('\n')
  lines.push(indent(wrapText(refusal.why, proseWidth), 4))
  lines.push(
    ...labelled('seen', refusal.evidence, paint),
    ...labelled(
      'next',
      refusal.next.map((one) => nextText(one, paint)),
      paint,
    ),
  )
  return lines.join('\n')
}

function until(instant: string | undefined): string {
  return instant === undefined ? '' : ` (until ${instant})`
}

function labelled(label: string, items: readonly string[], paint: Paint): readonly string[] {
  return items.map((item, index) => {
    const head = index === 0 ? `${label}:` : ' '.repeat(label.length + 1)
    const hanging = indent(wrapText(item, proseWidth), label.length + 6).trimStart()
    return `    ${paint(['dim'], head)} ${hanging}`
  })
}
