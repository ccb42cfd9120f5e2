import type { DriftIgnore } from './fleet.ts'
import type { NextStep } from './next-step.ts'
import type { NotificationResult } from './notification.ts'
import type { FactsFrom, FetchPlan, Problem } from './plan.ts'
import type { MergedShards, Shard } from './shard.ts'

/**
 * Who changed something since the last apply. `drift`: the host no longer matches the last apply. `pending`: the inventory asks for something
 * that was not applied yet. `both`: host and inventory changed differently. `foreign`: nothing in the inventory explains it.
 */
export type DriftClass = 'drift' | 'pending' | 'both' | 'foreign'

/** What `converge drift --json` prints: plain JSON without secrets. */
export interface DriftDocument {
  readonly schema: 'converge/drift/v1'
  /** SHA-256 over the findings: equal as long as nothing new is found, whatever the time and the pids. */
  readonly digest: string
  readonly created_at: string
  readonly inventory: { readonly path: string; readonly digest: string }
  /** Absent: the hosts themselves were observed. */
  readonly facts_from?: FactsFrom
  /** Absent: it has all selected hosts. */
  readonly shard?: Shard
  /** Absent: it was not merged from shards. */
  readonly shards?: MergedShards
  readonly summary: DriftSummary
  readonly hosts: readonly HostDrift[]
  /** Entries of `drift_ignore` that have expired or are unused. */
  readonly stale_ignores: readonly StaleIgnore[]
  /** Who was notified of changes, and the result; absent if there were none. */
  readonly notifications?: readonly NotificationResult[]
}

export interface DriftSummary {
  readonly hosts: number
  /** Findings by class. */
  readonly drift: number
  readonly pending: number
  readonly both: number
  readonly foreign: number
  /** Findings that `drift_ignore` sets aside, and overrides. */
  readonly ignored: number
  readonly stale_ignores: number
  /** Comparisons that were impossible, on observed hosts. */
  readonly not_compared: number
  readonly unreachable: number
}

export interface HostDrift {
  readonly host: string
  /** False: it could not be observed. */
  readonly compared: boolean
  /** Set if it could not be observed. */
  readonly problem?: Problem
  /** ISO 8601; only for facts snapshots. */
  readonly facts_gathered_at?: string
  /** ISO 8601: the last apply of this fleet there, by the host's records; absent: never, or unknown. */
  readonly last_applied_at?: string
  readonly findings: readonly DriftFinding[]
  readonly ignored: readonly IgnoredFinding[]
  readonly not_compared: readonly NotCompared[]
  /** Services that were compared without a record of their last apply. */
  readonly two_way: readonly TwoWay[]
  /** Models that compared services load from a hub, as in a plan; absent: none. */
  readonly fetches?: readonly FetchPlan[]
}

/** One field that differs. `null` in a value: missing, or unknown. */
export interface DriftFinding {
  /** `(host)` if it is about no service. */
  readonly service: string
  /**
   * As in a plan: `definition.command.--ctx-size`, `running.image`, `state`; for a model from a hub `model.revision`, `model.files`,
   * `model.files.NAME`; for foreign ones `resident.llama-server`, `listener.9990`.
   */
  readonly field: string
  readonly class: DriftClass
  /** The value in the inventory. */
  readonly desired: string | null
  /** The value that the last apply had. */
  readonly recorded: string | null
  /** The value on the host. */
  readonly actual: string | null
  /** Set if the values alone would mislead; decides nothing. */
  readonly note?: string
}

/** A finding that an entry of `drift_ignore` sets aside, with the entry's words, or the field `override`: a state that a person asked for. */
export interface IgnoredFinding extends DriftFinding {
  readonly reason: string
  readonly owner: string
  readonly until?: string
}

/** An entry of `drift_ignore` to remove or review. */
export interface StaleIgnore extends Omit<DriftIgnore, 'source'> {
  /** `expired`: it no longer hides anything. `unused`: it matches nothing. */
  readonly state: 'expired' | 'unused'
  /** Its position in the file. */
  readonly file: string
  readonly line: number
}

/** Something that could not be compared, in the form of a refusal. */
export interface NotCompared {
  /** `(host)` if it is about no service. */
  readonly service: string
  readonly code: string
  readonly why: string
  readonly next: readonly NextStep[]
}

/** A service without a record to compare with: who changed it is unknown. */
export interface TwoWay {
  readonly service: string
  readonly why: string
}
