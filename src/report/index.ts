import type { Overview } from '../model/overview.ts'
import type { ReportExtras } from './extras.ts'
import type { Surroundings } from './overview-of-plan.ts'
import type { Paint } from './paint.ts'

/** A result in its basic forms; all formats are made from these. */
export interface Result {
  /** Plain JSON: what `--json` prints. */
  readonly document: unknown
  text(paint: Paint): string
  /** The same as one object per line; absent if the overview has it. */
  readonly lines?: readonly object[]
  /** The same by host and service; absent if the verb has no reports. */
  overview?(surroundings: Surroundings): Overview
  /** What the actions of a plan send; absent without `--steps`. */
  readonly steps?: ReportExtras['steps']
}

/** What every result has. */
export const basicFormats = ['text', 'json'] as const

export type Render = (overview: Overview, extras?: ReportExtras) => string

/** Reports: each a function from an overview to a text, loaded on demand. */
export const reports = {
  ndjson: () => import('./ndjson.ts').then(({ renderNdjson }) => renderNdjson),
  markdown: () => import('./markdown.ts').then(({ renderMarkdown }) => renderMarkdown),
  junit: () => import('./junit.ts').then(({ renderJunit }) => renderJunit),
  sarif: () => import('./sarif.ts').then(({ renderSarif }) => renderSarif),
  prometheus: () => import('./prometheus.ts').then(({ renderPrometheus }) => renderPrometheus),
  html: () => import('./html.ts').then(({ renderHtml }) => renderHtml),
} as const

export type ReportName = keyof typeof reports

/** Formats that show earlier runs as well. */
export const showingThePast: ReadonlySet<ReportName> = new Set(['html'])

/** Everything that `--format` knows. */
export type FormatName = (typeof basicFormats)[number] | ReportName
