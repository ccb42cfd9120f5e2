import type { FetchedState } from './fetch.ts'
import type { EndedJob } from './fetch-document.ts'
import type { InventoryIssue } from './issue.ts'
import type { NextStep } from './next-step.ts'
import type { DowntimeSummary, FetchPlanJob, Problem } from './plan.ts'
import type { Refusal } from './refusal.ts'
import type { ActionResult, SmokeResult } from './report.ts'
import type { SourceRef } from './source.ts'

/**
 * What a document says, arranged by host and service: the one thing that reports other than text and JSON are made of, so that a
 * format knows neither plans nor runs, and a new kind of document brings all formats with it.
 */
export interface Overview {
  /** `plan`, `apply`, `verify`, … */
  readonly verb: string
  /** The inventory's path as it was given; absent where the document does not tell. */
  readonly inventory?: string
  /** Everything that counts in one line: `3 to change, 1 refused (2 hosts)`. */
  readonly headline: string
  readonly tone: Tone
  /** When it was true; ISO 8601. Absent where nothing was looked at. */
  readonly at?: string
  readonly runId?: string
  /** Commands that continue it; absent where nothing is left to be continued. */
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
  /** Why it could not be looked at, or not be worked on. */
  readonly problem?: Problem
  /** False: nothing is known about what follows. */
  readonly reachable: boolean
  /** ISO 8601: when anything of this fleet was last applied there, by the host's records; absent: never, or nobody looked. */
  readonly appliedAt?: string
  readonly services: readonly ServiceOverview[]
  /** Models that come from hubs, as far as the document tells of them; absent: of none. */
  readonly fetches?: readonly FetchOverview[]
}

/** How far one model is on its host. */
export interface FetchOverview {
  /** `model.path` */
  readonly model: string
  /** The services that load it. */
  readonly services: readonly string[]
  readonly repo: string
  readonly state: FetchedState
  /** The last job on the host; absent: none, or not known. */
  readonly job?: FetchPlanJob
  /** How the job stood that this run began again; absent: it did not. */
  readonly resumed?: EndedJob
  /** `3 files, 48.2 GiB`; absent while nobody knows which files there are. */
  readonly size?: string
  readonly problem?: Problem
}

export interface ServiceOverview {
  /** `hostItself` for what is about the machine. */
  readonly service: string
  readonly tone: Tone
  /** How it stands, in a few words: `as wanted`, `refused`, `works`. */
  readonly state: string
  readonly actions: readonly ActionOverview[]
  readonly findings: readonly Finding[]
  /** The proof that it works; absent where none was asked for. */
  readonly smoke?: SmokeResult
  /** Where it stands in the inventory. */
  readonly at?: SourceRef
}

/** One action: what is planned, and what came of it where it was carried out. */
export interface ActionOverview {
  readonly id: string
  readonly kind: string
  readonly reason: string
  /** `definition.command: a → b`. */
  readonly changes: readonly string[]
  /** Unified diff of the definition, keys redacted. */
  readonly diff?: string
  /** For people; absent where nobody is down because of it. */
  readonly downtime?: string
  readonly note?: string
  readonly result?: ActionResult
}

/** Something that a rule or a comparison says. */
export interface Finding extends Pick<Refusal, 'summary' | 'why' | 'evidence' | 'at' | 'next'> {
  readonly level: 'refused' | 'warning' | 'overruled' | 'drift' | 'pending' | 'both' | 'foreign' | 'ignored' | 'not compared'
  /** Of a rule or an error; for what a comparison says, the field. */
  readonly code: string
  /** The words of the person who settled it: of an approval, or of an entry of `drift_ignore`. */
  readonly settled?: string
  /** What a comparison compared; null: nothing is there, or none is known. */
  readonly values?: { readonly wanted: string | null; readonly applied: string | null; readonly here: string | null }
}
