import type { PastRun } from '../model/past-run.ts'

/** What some reports show beside their overview. */
export interface ReportExtras {
  /** Earlier runs of the same inventory and this one, the oldest first; only for `showingThePast`. */
  readonly past?: readonly PastRun[]
  /** What each action sends, by its id, and by host what is sent around its actions; only with `--steps`. */
  readonly steps?: Readonly<Record<string, string>>
  /** For a page that is written again and again. */
  readonly refresh?: PageRefresh
}

export interface PageRefresh {
  /** Seconds from one writing to the next. */
  readonly everyS: number
  /** When it is written; ISO 8601. */
  readonly at: string
}
