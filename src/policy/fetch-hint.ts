import { shellQuote } from '../lib/shell-quote.ts'
import type { Service } from '../model/fleet.ts'

/** How the model of a service gets onto its host; undefined: nobody says where it comes from. */
export function fetchHint({ host, name, model }: Service): string | undefined {
  if (model.source === undefined) return undefined
  return `Fetch it:  ${shellQuote(['converge', 'fetch', '--limit', host, '--service', name])}`
}
