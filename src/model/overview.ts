import type { FetchedState } from './fetch.ts'
import type { EndedJob } from './fetch-document.ts'
import type { InventoryIssue } from './issue.ts'
import type { NextStep } from './next-step.ts'
import type { DowntimeSummary, FetchPlanJob, Problem } from './plan.ts'
import type { Refusal } from './refusal.ts'
import type { ActionResult, SmokeResult } from './report.ts'
import type { SourceRef } from './source.ts'

/**
 * A document arranged by host and service: the only input of reports other than text and JSON, so that a format knows neither plans nor runs,
 * and a new kind of document supports all formats at once.
 */
export interface Overview {
  /** `plan`, `apply`, `verify`, … */
  readonly verb: string
  /** The inventory's path as given; absent if the document does not contain it. */
  readonly inventory?: string
  /** A summary in one line: `3 to change, 1 refused (2 hosts)`. */
  readonly headline: string
  readonly tone: Tone
  /** The time of observation; ISO 8601. Absent if nothing was observed. */
  readonly at?: string
  readonly runId?: string
  /** Commands that continue it; absent if nothing is left. */
  readonly next?: readonly NextStep[]
  /** Of converge. */
  readonly version: string
  readonly hosts: readonly HostOverview[]
  /** What is wrong or doubtful in the inventory's files. */
  readonly issues: readonly InventoryIssue[]
  readonly downtime?: DowntimeSummary
}

/**
 * `good`: as wanted, or done. `pending`: to be done. `doubt`: a person should look. `foreign`: nothing in the inventory explains it.
 * `blocked`: a rule refuses it, and nothing is broken. `bad`: failed, changed on the host, or unreachable.
 */
export type Tone = 'good' | 'pending' | 'doubt' | 'foreign' | 'blocked' | 'bad'

export interface HostOverview {
  readonly host: string
  readonly tone: Tone
  /** Why it could not be observed, or not be changed. */
  readonly problem?: Problem
  /** False: the rest is unknown. */
  readonly reachable: boolean
  /** ISO 8601: the last apply of this fleet there, by the host's records; absent: never, or not observed. */
  readonly appliedAt?: string
  readonly services: readonly ServiceOverview[]
  /** Models from hubs in the document; absent: none. */
  readonly fetches?: readonly FetchOverview[]
}

/** The state of one model on its host. */
export interface FetchOverview {
  /** `model.path` */
  readonly model: string
  /** The services that load it. */
  readonly services: readonly string[]
  readonly repo: string
  readonly state: FetchedState
  /** The last job on the host; absent: none, or unknown. */
  readonly job?: FetchPlanJob
  /** State of the previous job that this run restarted; absent: none. */
  readonly resumed?: EndedJob
  /** `3 files, 48.2 GiB`; absent if the files are unknown. */
  readonly size?: string
  readonly problem?: Problem
}

export interface ServiceOverview {
  /** `hostItself` for what is about the machine. */
  readonly service: string
  readonly tone: Tone
  /** Its state in a few words: `as wanted`, `refused`, `works`. */
  readonly state: string
  readonly actions: readonly ActionOverview[]
  readonly findings: readonly Finding[]
  /** The proof that it works; absent if not requested. */
  readonly smoke?: SmokeResult
  /** Its position in the inventory. */
  readonly at?: SourceRef
}

/** One action: as planned, and its result if it was executed. */
export interface ActionOverview {
  readonly id: string
  readonly kind: string
  readonly reason: string
  /** `definition.command: a → b`. */
  readonly changes: readonly string[]
  /** Unified diff of the definition, keys redacted. */
  readonly diff?: string
  /** For people; absent without downtime. */
  readonly downtime?: string
  readonly note?: string
  readonly result?: ActionResult
}

/** A finding of a rule or a comparison. */
export interface Finding extends Pick<Refusal, 'summary' | 'why' | 'evidence' | 'at' | 'next'> {
  readonly level: 'refused' | 'warning' | 'overruled' | 'drift' | 'pending' | 'both' | 'foreign' | 'ignored' | 'not compared'
  /** The code of a rule or an error; for a comparison, the field. */
  readonly code: string
  /** The words of the person who settled it: of an approval, or of an entry of `drift_ignore`. */
  readonly settled?: string
  /** The compared values; null: missing, or unknown. */
  readonly values?: { readonly wanted: string | null; readonly applied: string | null; readonly here: string | null }
}
