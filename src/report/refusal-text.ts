import type { Refusal } from '../model/refusal.ts'
import { indent } from './indent.ts'
import { nextText } from './next-text.ts'
import type { Paint, PaintStyle } from './paint.ts'
import { whyText } from './why-text.ts'

type RefusalStatus = 'refused' | 'consented' | 'unused' | 'warning'

const headings: Readonly<Record<RefusalStatus, { readonly sign: string; readonly word: string; readonly style: PaintStyle }>> = {
  refused: { sign: '✗', word: 'refused', style: 'red' },
  consented: { sign: '!', word: 'overruled', style: 'yellow' },
  unused: { sign: '!', word: 'approved, not used', style: 'yellow' },
  warning: { sign: '!', word: 'warning', style: 'yellow' },
}

/** A refusal or warning with its reason, evidence and ways out. */
export function renderRefusal(refusal: Refusal, as: RefusalStatus, paint: Paint): string {
  const { sign, word, style } = headings[as]
  const about = refusal.service === undefined ? '' : ` ${paint(['bold'], refusal.service)}`
  const lines = [`${paint([style], `${sign} ${paint.hang}${word}`)}${about}  ${paint([style], refusal.code)}  ${refusal.summary}`]
  if (refusal.consent !== undefined) lines.push(`    by approval: ${refusal.consent.reason}${until(refusal.consent.until)}`)
  if (as === 'consented' || as === 'unused') return lines.join('\n')
  lines.push(indent(whyText(refusal.why), 4))
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
    return `    ${paint(['dim'], head)} ${paint.hang}${item}`
  })
}
