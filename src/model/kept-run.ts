import type { Overview } from './overview.ts'

/** What stays of a run on the controlling machine; holds no secret. */
export interface KeptRun {
  readonly schema: 'converge/kept-run/v1'
  readonly run_id: string
  readonly verb: string
  /** Who ran it, by the account's name; absent in reports of older versions. */
  readonly owner?: string
  /** When it ended; ISO 8601. */
  readonly at: string
  /** The inventory's path as it was given. */
  readonly inventory: string
  /** Where that is on this machine, links followed; absent in reports of older versions. */
  readonly inventory_place?: string
  /** Globs of services that it was held to; absent: to none. */
  readonly services?: readonly string[]
  readonly exit_code: number
  /** What every format but text and JSON is made of. */
  readonly overview: Overview
  /** What `--json` printed, a plan without its steps. */
  readonly document: unknown
}

/** A run that changed something or was about to, and left no report: it was killed, or is still at work. */
export interface UnendedRun {
  readonly run_id: string
  readonly verb: string
  /** ISO 8601. */
  readonly begun_at: string
  readonly inventory: string
  readonly owner?: string
  /** Names of the hosts of its plan; absent where it ended before it had one. */
  readonly hosts?: readonly string[]
}

/** A run of which a file was found that says nothing. */
export interface UnreadableRun {
  readonly run_id: string
  /** Why it cannot be read, in a few words. */
  readonly unreadable: string
}

/** A kept run, one that did not come to its end, or why the file of one cannot be read. */
export type HistoryEntry = KeptRun | UnendedRun | UnreadableRun
