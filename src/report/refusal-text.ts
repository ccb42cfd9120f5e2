import type { Refusal } from '../model/refusal.ts'
import { indent } from './indent.ts'
import { nextText } from './next-text.ts'
import type { Paint, PaintStyle } from './paint.ts'
import { whyText } from './why-text.ts'

type RefusalStatus = 'refused' | 'consented' | 'unused' | 'warning'

const headings: Readonly<Record<RefusalStatus, { readonly sign: string; readonly word: string; readonly style: PaintStyle }>> = {
  refused: { sign: '✗', word: 'refused', style: 'red' },
  consented: { sign: '∆', word: 'overruled', style: 'yellow' },
  unused: { sign: '!', word: 'approved, not used', style: 'yellow' },
  warning: { sign: '!', word: 'warning', style: 'yellow' },
}

/** A refusal or warning with its reason, evidence and ways out: `✗ start helper  CORUN.SECOND_KIND_A  …` names the refused action. */
export function renderRefusal(refusal: Refusal, as: RefusalStatus, paint: Paint): string {
  const { sign, style } = headings[as]
  const word = (as === 'refused' ? refusedKinds(refusal) : '') || headings[as].word
  const about = refusal.service === undefined ? '' : ` ${paint(['bold'], refusal.service)}`
  const lines = [`${paint([style], `${sign} ${paint.hang}${word}`)}${about}  ${paint([style], refusal.code)}  ${refusal.summary}`]
  if (refusal.consent !== undefined) lines.push(`    approved: "${refusal.consent.reason}"${until(refusal.consent.until)}`)
  if (as === 'consented' || as === 'unused') return lines.join('\n')
  lines.push(indent(whyText(refusal.why), 4))
  lines.push(
    ...labelled('evidence', refusal.evidence, paint),
    ...labelled(
      'next',
      refusal.next.map((one) => nextText(one, paint)),
      paint,
    ),
  )
  return lines.join('\n')
}

/** `start`, `stop, restart`; empty where it is not about the actions of one service. */
function refusedKinds({ service, actions }: Refusal): string {
  const ids = actions.map((id) => id.split('/'))
  const isOfService = ids.every(([, of]) => of === service)
  return isOfService ? [...new Set(ids.map(([, , kind]) => kind))].join(', ') : ''
}

/** ` (expires 2026-12-01 06:00 UTC)` */
function until(instant: string | undefined): string {
  if (instant === undefined) return ''
  const at = new Date(instant)
  const words = Number.isNaN(at.getTime()) ? instant : `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return ` (expires ${words})`
}

function labelled(label: string, items: readonly string[], paint: Paint): readonly string[] {
  return items.map((item, index) => {
    const head = index === 0 ? `${label}:` : ' '.repeat(label.length + 1)
    return `    ${paint(['dim'], head)} ${paint.hang}${item}`
  })
}
