import type { Action } from './action.ts'
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
  /** Refusals that no consent overruled. */
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
  /** What is refused, and what waits for it: would be done if nothing held it back. Never in `actions`. */
  readonly held_back?: readonly Action[]
  readonly refusals: readonly Refusal[]
  readonly warnings: readonly Refusal[]
  /** Refusals that a consent overruled, with it. */
  readonly consented: readonly Refusal[]
  /** Refusals that an approval speaks of and that it was not used for: something else holds the action back, or it is done without. */
  readonly approvals_unused?: readonly Refusal[]
  /** Which services are down meanwhile that run before and after it, in the order of the plan; absent: none is. */
  readonly downtime?: readonly ServiceDowntime[]
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
  readonly why: string
  readonly next: readonly string[]
}

declare const approved: unique symbol
/** A plan whose refused actions are gone. Only `policy/approve.ts` makes one, and only that can be executed. */
export type ApprovedPlan = Plan & { readonly [approved]: true }
