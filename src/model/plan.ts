import type { Action } from './action.ts'
import type { Bookkeeping } from './bookkeeping.ts'
import type { FetchedState, FetchFailure, FetchJob } from './fetch.ts'
import type { NextStep } from './next-step.ts'
import type { NotificationResult } from './notification.ts'
import type { Refusal } from './refusal.ts'
import type { SavedWith } from './saved-plan.ts'
import type { MergedShards, Shard } from './shard.ts'

/** What would be done and what is refused: the document that `plan --json` prints. */
export interface Plan {
  readonly schema: 'converge/plan/v1'
  /** SHA-256 over everything but `created_at`, `notifications`, `shard`, `shards` and itself. */
  readonly digest: string
  readonly created_at: string
  readonly inventory: { readonly path: string; readonly digest: string }
  /** Absent: the hosts themselves were observed. */
  readonly facts_from?: FactsFrom
  /** Absent: it has all selected hosts. */
  readonly shard?: Shard
  /** Absent: it was not merged from shards. */
  readonly shards?: MergedShards
  readonly summary: PlanSummary
  readonly hosts: readonly HostPlan[]
  /** Only in files of `plan --out`. */
  readonly saved?: SavedWith
  /** Who was notified of changes, and the result; absent if there were none. */
  readonly notifications?: readonly NotificationResult[]
}

/** What `plan --out` writes: a plan with everything needed to make it again. Contains no secrets. */
export type SavedPlan = Plan & { readonly saved: SavedWith }

/** The facts snapshot that was used instead of the hosts. */
export interface FactsFrom {
  /** As given. */
  readonly folder: string
  /** ISO 8601: when the oldest and the newest usable facts were gathered; absent: none were usable. */
  readonly oldest?: string
  readonly newest?: string
}

export interface PlanSummary {
  readonly hosts: number
  /** Actions that are not `noop`. */
  readonly changes: number
  /** Refusals that no approval overruled. */
  readonly refusals: number
  readonly warnings: number
  readonly unreachable: number
  /** Absent without downtime. */
  readonly downtime?: DowntimeSummary
}

/** Total downtime of services that run before and after the plan. */
export interface DowntimeSummary {
  readonly services: number
  /** The longest known one; null: none is known. */
  readonly longest_s: number | null
  /** Number of services with unknown downtime. */
  readonly unknown: number
}

export interface HostPlan {
  readonly host: string
  readonly reachable: boolean
  /** Why it is unreachable. */
  readonly problem?: Problem
  /** ISO 8601; only for facts snapshots. */
  readonly facts_gathered_at?: string
  /** In the order of execution. */
  readonly actions: readonly Action[]
  /** Work besides the steps of the actions; absent if there is none, and where a plan is quoted: in reports, journals. */
  readonly bookkeeping?: readonly Bookkeeping[]
  /** Actions that are refused, or wait for a refused one. Never in `actions`. */
  readonly held_back?: readonly Action[]
  readonly refusals: readonly Refusal[]
  readonly warnings: readonly Refusal[]
  /** Refusals that an approval overruled, with it. */
  readonly consented: readonly Refusal[]
  /** Refusals that an approval matches but did not overrule: something else holds the action back, or it is done without. */
  readonly approvals_unused?: readonly Refusal[]
  /** Services that run before and after the plan but are down meanwhile, in the order of the plan; absent: none. */
  readonly downtime?: readonly ServiceDowntime[]
  /** Models that selected services load from a hub, in the inventory's order; absent: none. Only `converge fetch` acts on them. */
  readonly fetches?: readonly FetchPlan[]
}

/** The state of one model on a host, and what `converge fetch` would do. */
export interface FetchPlan {
  /** `model.path` */
  readonly model: string
  readonly services: readonly string[]
  /** Base URL. */
  readonly hub: string
  readonly repo: string
  /** As the inventory has it. */
  readonly revision: string
  /** The hub's commit of the revision, else that of the last job; null: unknown. */
  readonly commit: string | null
  readonly state: FetchedState
  /** Absent if the files are unknown. */
  readonly files?: FetchTotals
  /** Other hosts of the fleet that would supply missing files; absent: all come from the hub. */
  readonly from?: readonly FetchSupply[]
  /** Of its volume; absent: unknown. */
  readonly free_bytes?: number
  /** The last job on the host; absent: none, or unknown. */
  readonly job?: FetchPlanJob
  /** Why it is not `complete`, and what to do; absent if there is nothing to explain. */
  readonly problem?: Problem
}

export interface FetchPlanJob {
  readonly state: FetchJob['state']
  readonly alive: boolean
  readonly commit: string
  /** Why it failed, as one of our codes. */
  readonly reason?: FetchFailure
  /** Id of the run that started it; absent: not recorded. */
  readonly run_id?: string
}

/** A host that has verified files of a model. */
export interface FetchSupply {
  readonly host: string
  readonly files: number
  /** Bytes of these that are missing. */
  readonly bytes: number
}

export interface FetchTotals {
  readonly count: number
  /** With matching digests. */
  readonly complete: number
  /** Of the right size, but never hashed: `converge fetch` would. */
  readonly unverified: number
  /** Something else has their names. */
  readonly other: number
  /** Bytes of all of them. */
  readonly bytes: number
  /** Missing bytes. */
  readonly bytes_to_fetch: number
}

export interface ServiceDowntime {
  readonly service: string
  /** Null: unknown. */
  readonly seconds: number | null
  /** Ids of the actions that start and end it; equal if one action does both. */
  readonly from: string
  readonly until: string
}

/** An error as data, for one host or service while others continue. Same texts as `ConvergeError`. */
export interface Problem {
  readonly code: string
  readonly summary: string
  /** Sentences on one line; a list, or a program's output, may follow on further lines. */
  readonly why: string
  readonly next: readonly NextStep[]
}

declare const approved: unique symbol
/** A plan without its refused actions. Only `policy/approve.ts` creates one, and only such a plan can be executed. */
export type ApprovedPlan = Plan & { readonly [approved]: true }
