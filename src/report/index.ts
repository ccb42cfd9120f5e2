import type { Overview } from '../model/overview.ts'
import type { PastRun } from '../model/past-run.ts'
import type { Surroundings } from './overview-of-plan.ts'
import type { Paint } from './paint.ts'

/** A result in its basic forms; every format is made from these. */
export interface Result {
  /** Plain JSON: what `--json` prints. */
  readonly document: unknown
  text(paint: Paint): string
  /** The same as one object a line; absent where the overview has it. */
  readonly lines?: readonly object[]
  /** The same by host and service; absent for what no report is made of. */
  overview?(surroundings: Surroundings): Overview
}

/** What every result has. */
export const basicFormats = ['text', 'json'] as const

/** @param past earlier runs of the same inventory and this one, the oldest first; only those of `tellingThePast` look at them */
export type Render = (overview: Overview, past?: readonly PastRun[]) => string

/** Reports: each a function from an overview to what is written, loaded only when it is asked for. */
export const reports = {
  ndjson: () => import('./ndjson.ts').then(({ renderNdjson }) => renderNdjson),
  markdown: () => import('./markdown.ts').then(({ renderMarkdown }) => renderMarkdown),
  junit: () => import('./junit.ts').then(({ renderJunit }) => renderJunit),
  sarif: () => import('./sarif.ts').then(({ renderSarif }) => renderSarif),
  prometheus: () => import('./prometheus.ts').then(({ renderPrometheus }) => renderPrometheus),
  html: () => import('./html.ts').then(({ renderHtml }) => renderHtml),
} as const

export type ReportName = keyof typeof reports

/** Formats in which earlier runs are told as well. */
export const tellingThePast: ReadonlySet<ReportName> = new Set(['html'])

/** Everything that `--format` knows. */
export type FormatName = (typeof basicFormats)[number] | ReportName
