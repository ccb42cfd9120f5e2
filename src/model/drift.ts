import type { DriftIgnore } from './fleet.ts'
import type { NextStep } from './next-step.ts'
import type { NotificationResult } from './notification.ts'
import type { FactsFrom, FetchPlan, Problem } from './plan.ts'

/**
 * Who changed something since the last apply. `drift`: the host is no longer what the last apply left. `pending`: the inventory asks for
 * something that was not applied yet. `both`: the two went apart. `foreign`: nothing in the inventory explains it.
 */
export type DriftClass = 'drift' | 'pending' | 'both' | 'foreign'

/** What `converge drift --json` prints: plain JSON, no secret in it. */
export interface DriftDocument {
  readonly schema: 'converge/drift/v1'
  /** SHA-256 over what was found: equal where nothing new was found, whenever and under whatever pid. */
  readonly digest: string
  readonly created_at: string
  readonly inventory: { readonly path: string; readonly digest: string }
  /** Absent: the hosts themselves were looked at. */
  readonly facts_from?: FactsFrom
  readonly summary: DriftSummary
  readonly hosts: readonly HostDrift[]
  /** Entries of `drift_ignore` that have run out or are of no use. */
  readonly stale_ignores: readonly StaleIgnore[]
  /** Who was told of what changed, and what came of it; absent where there was nothing to tell. */
  readonly notifications?: readonly NotificationResult[]
}

export interface DriftSummary {
  readonly hosts: number
  /** Findings by class. */
  readonly drift: number
  readonly pending: number
  readonly both: number
  readonly foreign: number
  /** Findings that `drift_ignore` sets aside. */
  readonly ignored: number
  readonly stale_ignores: number
  /** Comparisons that could not be made, on hosts that were looked at. */
  readonly not_compared: number
  readonly unreachable: number
}

export interface HostDrift {
  readonly host: string
  /** False: it could not be looked at. */
  readonly compared: boolean
  /** Why not, when it could not. */
  readonly problem?: Problem
  /** ISO 8601; only where the facts are kept ones. */
  readonly facts_gathered_at?: string
  /** ISO 8601: when anything of this fleet was last applied there, by the host's records; absent: never, or nobody can tell. */
  readonly last_applied_at?: string
  readonly findings: readonly DriftFinding[]
  readonly ignored: readonly IgnoredFinding[]
  readonly not_compared: readonly NotCompared[]
  /** Services that were compared without a record of their last apply. */
  readonly two_way: readonly TwoWay[]
  /** Models that compared services load from a hub, as a plan tells them; absent: there are none. */
  readonly fetches?: readonly FetchPlan[]
}

/** One field that is not as wanted. `null` in a value: nothing is there, or none is known. */
export interface DriftFinding {
  /** `(host)` where it is about no service. */
  readonly service: string
  /**
   * As in a plan: `definition.command.--ctx-size`, `running.image`, `state`; of a model from a hub `model.revision`, `model.files`, `model.files.NAME`; of
   * what is foreign `resident.llama-server`, `listener.9990`.
   */
  readonly field: string
  readonly class: DriftClass
  /** What the inventory asks for. */
  readonly desired: string | null
  /** What the last apply was asked for. */
  readonly recorded: string | null
  /** What is there. */
  readonly actual: string | null
  /** Said where the values alone would mislead; decides nothing. */
  readonly note?: string
}

/** One that an entry of `drift_ignore` sets aside, with the words of the entry. */
export interface IgnoredFinding extends DriftFinding {
  readonly reason: string
  readonly owner: string
  readonly until?: string
}

/** An entry of `drift_ignore` to be taken out or looked at again. */
export interface StaleIgnore extends Omit<DriftIgnore, 'source'> {
  /** `expired`: it hides nothing any more. `unused`: there is nothing that it could hide. */
  readonly state: 'expired' | 'unused'
  /** Where it stands. */
  readonly file: string
  readonly line: number
}

/** Something that could not be compared, in the words of a refusal. */
export interface NotCompared {
  /** `(host)` where it is about no service. */
  readonly service: string
  readonly code: string
  readonly why: string
  readonly next: readonly NextStep[]
}

/** A service with no record to compare with: who changed it cannot be told. */
export interface TwoWay {
  readonly service: string
  readonly why: string
}
