import { mapStrings } from '../lib/map-strings.ts'
import { visibleText } from '../lib/visible-text.ts'
import type { Overview } from '../model/overview.ts'

/** An overview for a report: without secrets, and without characters that hide, erase or reverse text. */
export function safeOverview(overview: Overview, redact: (text: string) => string): Overview {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only texts differ
  return mapStrings(overview, (text) => visibleText(redact(text))) as Overview
}
