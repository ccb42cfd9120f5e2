import type { Refusal } from '../model/refusal.ts'
import type { Paint, PaintStyle } from './paint.ts'

const headings: Readonly<Record<'refused' | 'consented' | 'warning', { readonly word: string; readonly style: PaintStyle }>> = {
  refused: { word: '✗ refused', style: 'red' },
  consented: { word: '! overruled', style: 'yellow' },
  warning: { word: '! warning', style: 'yellow' },
}

/** A refusal or warning with its reason, evidence and ways out. */
export function renderRefusal(refusal: Refusal, as: keyof typeof headings, paint: Paint): string {
  const { word, style } = headings[as]
  const about = refusal.service === undefined ? '' : ` ${paint(['bold'], refusal.service)}`
  const lines = [`${paint([style], word)}${about}  ${paint([style], refusal.code)}  ${refusal.summary}`]
  if (refusal.consent !== undefined) lines.push(`    by consent: ${refusal.consent.reason}${until(refusal.consent.until)}`)
  if (as === 'consented') return lines.join('\n')
  lines.push(`    ${refusal.why}`)
  lines.push(...labelled('seen', refusal.evidence, paint), ...labelled('next', refusal.next, paint))
  return lines.join('\n')
}

function until(instant: string | undefined): string {
  return instant === undefined ? '' : ` (until ${instant})`
}

function labelled(label: string, items: readonly string[], paint: Paint): readonly string[] {
  return items.map((item, index) => `    ${paint(['dim'], index === 0 ? `${label}:` : ' '.repeat(label.length + 1))} ${item}`)
}
