import type { Overview } from './overview.ts'

/** A run in the history on the controller; contains no secrets. */
export interface KeptRun {
  readonly schema: 'converge/kept-run/v1'
  readonly run_id: string
  readonly verb: string
  /** The account that ran it; absent in reports of older versions. */
  readonly owner?: string
  /** When it ended; ISO 8601. */
  readonly at: string
  /** The inventory's path as given. */
  readonly inventory: string
  /** Its resolved path on this machine; absent in reports of older versions. */
  readonly inventory_place?: string
  /** Globs of selected services; absent: all. */
  readonly services?: readonly string[]
  readonly exit_code: number
  /** The source of every format except text and JSON. */
  readonly overview: Overview
  /** The output of `--json`; a plan without its steps. */
  readonly document: unknown
}

/** A run with side effects that left no report: it was killed, or is still running. */
export interface UnendedRun {
  readonly run_id: string
  readonly verb: string
  /** ISO 8601. */
  readonly begun_at: string
  readonly inventory: string
  readonly owner?: string
  /** Names of the hosts in its plan; absent if it ended before planning. */
  readonly hosts?: readonly string[]
}

/** A run with an unreadable file. */
export interface UnreadableRun {
  readonly run_id: string
  /** Why, in a few words. */
  readonly unreadable: string
}

/** A run in the history, one that did not finish, or one with an unreadable file. */
export type HistoryEntry = KeptRun | UnendedRun | UnreadableRun

/** What the list of runs shows of a report. */
export interface HistoryLine extends Pick<KeptRun, 'run_id' | 'verb' | 'owner' | 'at' | 'inventory' | 'exit_code'> {
  /** Names of its hosts. */
  readonly hosts: readonly string[]
  readonly headline: string
  readonly tone?: string
}

/** One row of the list of runs. */
export type HistoryRow = HistoryLine | UnendedRun | UnreadableRun
