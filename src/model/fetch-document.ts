import type { NotificationResult } from './notification.ts'
import type { FetchPlan, Plan, Problem } from './plan.ts'
import type { Shard } from './shard.ts'

/** What `converge fetch --json`, `fetch status` and `stop` print: plain JSON without secrets. */
export interface FetchDocument {
  readonly schema: 'converge/fetch/v1'
  /** The run in the records of its jobs; absent: this run started none. */
  readonly run_id?: string
  /** The time of observation; ISO 8601. In the history it is updated when the outcome of a job is observed. */
  readonly created_at: string
  readonly inventory: Plan['inventory']
  /** Absent: it has all selected hosts. */
  readonly shard?: Shard
  /** Hosts that could not be observed. */
  readonly unreachable: readonly UnseenHost[]
  /** In the inventory's order. */
  readonly models: readonly FetchedModel[]
  /** Who was notified of changes, and the result; absent if there were none. */
  readonly notifications?: readonly NotificationResult[]
}

export interface UnseenHost {
  readonly host: string
  readonly problem: Problem
}

export interface FetchedModel extends Omit<FetchPlan, 'files' | 'from' | 'free_bytes'> {
  readonly host: string
  /** Empty if unknown. */
  readonly files: readonly FetchedModelFile[]
  /** State of the previous job that this run restarted; absent: none. */
  readonly resumed?: EndedJob
  /** It can be fetched but not served on this host; absent: it fits, or that is unknown. */
  readonly warning?: Problem
}

/** A job that did not succeed. `cut-off`: its process vanished, or its host was restarted. */
export interface EndedJob {
  readonly state: 'failed' | 'stopped' | 'cut-off'
  /** Why; absent if its state says everything. */
  readonly problem?: Problem
}

export interface FetchedModelFile {
  readonly path: string
  readonly bytes: number
  /** Bytes that have arrived. */
  readonly have: number
  readonly state: 'complete' | 'unverified' | 'other' | 'partial' | 'missing'
  /** The other host it would come from; absent: the hub, or not checked. */
  readonly from?: string
}

/** What `converge fetch log --json` prints. */
export interface FetchLogDocument {
  readonly schema: 'converge/fetch-log/v1'
  /** Hosts that could not be observed. */
  readonly unreachable: readonly UnseenHost[]
  /** In the inventory's order. */
  readonly logs: readonly FetchLog[]
}

export interface FetchLog {
  readonly host: string
  readonly services: readonly string[]
  /** `model.path` */
  readonly model: string
  /** The last 64 KiB; empty: nothing was fetched. */
  readonly log: string
}
