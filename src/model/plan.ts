import type { Action } from './action.ts'
import type { Bookkeeping } from './bookkeeping.ts'
import type { FetchedState, FetchFailure, FetchJob } from './fetch.ts'
import type { NextStep } from './next-step.ts'
import type { NotificationResult } from './notification.ts'
import type { Refusal } from './refusal.ts'
import type { SavedWith } from './saved-plan.ts'

/** What would be done and what is refused: exactly the document that `plan --json` prints. */
export interface Plan {
  readonly schema: 'converge/plan/v1'
  /** SHA-256 over everything but `created_at`, `notifications` and itself. */
  readonly digest: string
  readonly created_at: string
  readonly inventory: { readonly path: string; readonly digest: string }
  /** Absent: the hosts themselves were looked at. */
  readonly facts_from?: FactsFrom
  readonly summary: PlanSummary
  readonly hosts: readonly HostPlan[]
  /** Only in what `plan --out` writes. */
  readonly saved?: SavedWith
  /** Who was told of what changed, and what came of it; absent where there was nothing to tell. */
  readonly notifications?: readonly NotificationResult[]
}

/** What `plan --out` writes: a plan with what it takes to make it again. Holds no secret. */
export type SavedPlan = Plan & { readonly saved: SavedWith }

/** The files that stood in for the hosts. */
export interface FactsFrom {
  /** As the person gave it. */
  readonly folder: string
  /** ISO 8601: when the first and the last of the facts were gathered that could be used; absent: none could. */
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
  /** Absent where nobody is down meanwhile. */
  readonly downtime?: DowntimeSummary
}

/** How long services are down that run before and after the plan, in all. */
export interface DowntimeSummary {
  readonly services: number
  /** Of those for which it is known; null: of none. */
  readonly longest_s: number | null
  /** Of how many of them nobody knows. */
  readonly unknown: number
}

export interface HostPlan {
  readonly host: string
  readonly reachable: boolean
  /** Why not, when it is not reachable. */
  readonly problem?: Problem
  /** ISO 8601; only where the facts are kept ones. */
  readonly facts_gathered_at?: string
  /** In the order in which they will be done. */
  readonly actions: readonly Action[]
  /** What is done there beside the steps of the actions; absent where nothing is, and where a plan is quoted: in reports, journals. */
  readonly bookkeeping?: readonly Bookkeeping[]
  /** What is refused, and what waits for it: would be done if nothing held it back. Never in `actions`. */
  readonly held_back?: readonly Action[]
  readonly refusals: readonly Refusal[]
  readonly warnings: readonly Refusal[]
  /** Refusals that an approval overruled, with it. */
  readonly consented: readonly Refusal[]
  /** Refusals that an approval speaks of and that it was not used for: something else holds the action back, or it is done without. */
  readonly approvals_unused?: readonly Refusal[]
  /** Which services are down meanwhile that run before and after it, in the order of the plan; absent: none is. */
  readonly downtime?: readonly ServiceDowntime[]
  /** Models that selected services load from a hub, in the inventory's order; absent: there are none. `converge fetch` acts on them, no plan does. */
  readonly fetches?: readonly FetchPlan[]
}

/** How far one model of a host is, and what `converge fetch` would do. */
export interface FetchPlan {
  /** `model.path` */
  readonly model: string
  readonly services: readonly string[]
  /** Base URL. */
  readonly hub: string
  readonly repo: string
  /** As the inventory has it. */
  readonly revision: string
  /** At which the hub has the revision, else that of the last job; null: nobody knows it. */
  readonly commit: string | null
  readonly state: FetchedState
  /** Absent while nobody knows which files there are. */
  readonly files?: FetchTotals
  /** Other hosts of the fleet that what is still to come would come from; absent: all of it comes from the hub. */
  readonly from?: readonly FetchSupply[]
  /** Of the volume it lies on; absent: not known. */
  readonly free_bytes?: number
  /** The last job on the host; absent: none, or not known. */
  readonly job?: FetchPlanJob
  /** Why it is not `complete`, and what to do; absent where there is nothing to explain. */
  readonly problem?: Problem
}

export interface FetchPlanJob {
  readonly state: FetchJob['state']
  readonly alive: boolean
  readonly commit: string
  /** Of one that failed: why, a word of ours. */
  readonly reason?: FetchFailure
  /** Id of the run that began it; absent: the host does not say. */
  readonly run_id?: string
}

/** A host where files of a model were proved by their digests. */
export interface FetchSupply {
  readonly host: string
  readonly files: number
  /** Of these, what is still to come. */
  readonly bytes: number
}

export interface FetchTotals {
  readonly count: number
  /** Their digests are right. */
  readonly complete: number
  /** Of the right size, and never hashed: `converge fetch` would. */
  readonly unverified: number
  /** Something else has their names. */
  readonly other: number
  /** Bytes of all of them. */
  readonly bytes: number
  /** Bytes that are still to come. */
  readonly bytes_to_fetch: number
}

export interface ServiceDowntime {
  readonly service: string
  /** Null: nobody knows. */
  readonly seconds: number | null
  /** Ids of the actions with which it begins and ends; the same where one action does both. */
  readonly from: string
  readonly until: string
}

/** An error as data, for one host or service while others go on. Same words as `ConvergeError`. */
export interface Problem {
  readonly code: string
  readonly summary: string
  /** Sentences, on one line; a list, or what a program said, may follow on lines of its own. */
  readonly why: string
  readonly next: readonly NextStep[]
}

declare const approved: unique symbol
/** A plan whose refused actions are gone. Only `policy/approve.ts` makes one, and only that can be executed. */
export type ApprovedPlan = Plan & { readonly [approved]: true }
