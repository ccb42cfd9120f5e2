import type { NotificationResult } from './notification.ts'
import type { OperationVerb } from './operation.ts'
import type { Plan, Problem } from './plan.ts'
import type { MergedShards, Shard } from './shard.ts'

/** The verbs whose runs change hosts. */
export type RunVerb = 'apply' | 'resume' | 'use' | OperationVerb

/** The record of a run; every format is rendered from it. `schema: converge/report/v1`. */
export interface RunReport {
  readonly schema: 'converge/report/v1'
  readonly verb: RunVerb | 'verify'
  readonly run_id: string
  readonly started_at: string
  readonly finished_at: string
  readonly plan?: Plan
  /** Absent if the plan contains it, and in reports of older versions. */
  readonly inventory?: Plan['inventory']
  /** The runs that it combines; absent: a single run. */
  readonly parts?: readonly RunPart[]
  /** Absent: it has all selected hosts. */
  readonly shard?: Shard
  /** Absent: it was not merged from shards. */
  readonly shards?: MergedShards
  /** The run that this one continued. */
  readonly resumed?: ResumedRun
  readonly hosts: readonly HostReport[]
  /** What a later plan still finds; absent if none was made. */
  readonly second_plan?: { readonly changes: number; readonly actions: readonly string[] }
  readonly exit_code: number
  /** Who was notified of changes, and the result; absent if there were none. */
  readonly notifications?: readonly NotificationResult[]
}

/** One of several runs combined in a report. */
export interface RunPart {
  readonly run_id: string
  readonly exit_code: number
  /** Their names. */
  readonly hosts: readonly string[]
}

export interface ResumedRun {
  readonly run_id: string
  /** Its steps in doubt, and what the hosts show about them. */
  readonly in_doubt: readonly StepFound[]
  /** Ids of actions that are needed now but were not in its plan, and were left out. */
  readonly left: readonly string[]
}

export interface StepFound {
  readonly host: string
  readonly service: string
  /** Absent for records written after the proof. */
  readonly action?: string
  readonly step: string
  /** `not-done`: not, or not completely. */
  readonly found: 'done' | 'not-done' | 'unknown'
}

export interface HostReport {
  readonly host: string
  readonly reachable: boolean
  readonly problem?: Problem
  readonly actions: readonly ActionResult[]
  readonly smoke: readonly SmokeResult[]
}

export interface ActionResult {
  readonly action: string
  /** `not-needed`: observing the host again under the lock showed that it was already as desired. */
  readonly status: 'applied' | 'failed' | 'not-run' | 'not-needed' | 'refused'
  readonly ms: number
  /** Labels of the completed steps. */
  readonly done: readonly string[]
  readonly problem?: Problem
  /** After a failure: whether the previous state was restored. `not-begun`: the run was interrupted. `left-to-host`: the host does it on its own. */
  readonly undone?: 'restored' | 'failed' | 'not-possible' | 'not-begun' | 'not-needed' | 'left-to-host'
  /** After a failure that was not rolled back: the label of the step that did not succeed. */
  readonly stopped_at?: string
  /** After a failed rollback: its step that failed, and why. */
  readonly rollback_stopped_at?: string
  /** After a failure: the remaining state; after a success: what could not be cleaned up. */
  readonly left?: string
}

export interface SmokeResult {
  readonly host: string
  readonly service: string
  readonly ok: boolean
  readonly checks: readonly SmokeCheck[]
}

export interface SmokeCheck {
  readonly name: 'co-run' | 'health' | 'models' | 'key' | RequestCheck | 'speed' | 'port-owner' | 'client'
  readonly ok: boolean
  readonly skipped?: string
  readonly detail: string
  readonly ms: number
}

/** What it is called that a server answered a request: `completion` is a chat. */
export type RequestCheck = 'completion' | 'embedding' | 'rerank'

const requestChecks: ReadonlySet<string> = new Set<RequestCheck>(['completion', 'embedding', 'rerank'])

/** The check whose time is that of an answer; undefined: nothing was to be asked. */
export function requestIn(checks: readonly SmokeCheck[]): SmokeCheck | undefined {
  return checks.find(({ name }) => requestChecks.has(name))
}

/** The action itself succeeded; it was rolled back, or was to be, for the failure of a later one. */
export function failedLater({ problem }: Pick<ActionResult, 'problem'>): boolean {
  return problem?.code === 'APPLY.TAKEN_BACK' || problem?.code === 'APPLY.ROLLBACK_FAILED'
}
