import { shellQuote } from '../lib/shell-quote.ts'
import { shownLine } from '../lib/visible-text.ts'
import type { NotifyTarget, SecretReference } from '../model/fleet.ts'

/** A target as in the inventory: `slack webhook ($SLACK_URL)`, `command tell-the-house`, `mail to anna@example.org`. */
export function targetWords({ way }: Pick<NotifyTarget, 'way'>): string {
  if (way.kind === 'webhook') return shownLine(`${way.format} webhook (${referenceWords(way.url)})`)
  return shownLine(way.kind === 'command' ? `command ${way.argv[0] ?? ''}` : `mail to ${way.address}`)
}

function referenceWords(reference: SecretReference): string {
  if ('env' in reference) return `$${reference.env}`
  if ('file' in reference) return reference.file
  return 'command' in reference ? shellQuote(reference.command) : '!vault'
}
