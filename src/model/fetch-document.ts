import type { NotificationResult } from './notification.ts'
import type { FetchPlan, Plan, Problem } from './plan.ts'

/** What `converge fetch --json` prints, and `fetch status` and `stop`: plain JSON, no secret in it. */
export interface FetchDocument {
  readonly schema: 'converge/fetch/v1'
  /** Its jobs have it on their hosts; absent: this run began none. */
  readonly run_id?: string
  /** When it was so; ISO 8601. In the history it moves on to when the outcome of a job was seen. */
  readonly created_at: string
  readonly inventory: Plan['inventory']
  /** Hosts that could not be looked at. */
  readonly unreachable: readonly UnseenHost[]
  /** In the inventory's order. */
  readonly models: readonly FetchedModel[]
  /** Who was told of what changed, and what came of it; absent where there was nothing to tell. */
  readonly notifications?: readonly NotificationResult[]
}

export interface UnseenHost {
  readonly host: string
  readonly problem: Problem
}

export interface FetchedModel extends Omit<FetchPlan, 'files' | 'from' | 'free_bytes'> {
  readonly host: string
  /** Empty while it is not known which they are. */
  readonly files: readonly FetchedModelFile[]
  /** How the job stood that this run began again; absent: it did not. */
  readonly resumed?: EndedJob
  /** It can be fetched, but not served there; absent: it fits, or that is unknown. */
  readonly warning?: Problem
}

/** A job that came to no good end. `cut-off`: its process went, or its host was restarted. */
export interface EndedJob {
  readonly state: 'failed' | 'stopped' | 'cut-off'
  /** Why; absent where its state says all. */
  readonly problem?: Problem
}

export interface FetchedModelFile {
  readonly path: string
  readonly bytes: number
  /** Bytes that have arrived. */
  readonly have: number
  readonly state: 'complete' | 'unverified' | 'other' | 'partial' | 'missing'
  /** The other host it would come from; absent: the hub, or nobody asked. */
  readonly from?: string
}

/** What `converge fetch log --json` prints. */
export interface FetchLogDocument {
  readonly schema: 'converge/fetch-log/v1'
  /** Hosts that could not be looked at. */
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
