import type { NotificationResult } from './notification.ts'
import type { Plan, Problem } from './plan.ts'

/** The record of a run; every format is rendered from it. `schema: converge/report/v1`. */
export interface RunReport {
  readonly schema: 'converge/report/v1'
  readonly verb: 'apply' | 'resume' | 'verify'
  readonly run_id: string
  readonly started_at: string
  readonly finished_at: string
  readonly plan?: Plan
  /** Absent where the plan has it, and in reports of older versions. */
  readonly inventory?: Plan['inventory']
  /** The runs of which it was put together; absent: it is of one run. */
  readonly parts?: readonly RunPart[]
  /** The run that this one went on with. */
  readonly resumed?: ResumedRun
  readonly hosts: readonly HostReport[]
  /** What a plan made afterwards still finds; absent when none was made. */
  readonly second_plan?: { readonly changes: number; readonly actions: readonly string[] }
  readonly exit_code: number
  /** Who was told of what changed, and what came of it; absent where there was nothing to tell. */
  readonly notifications?: readonly NotificationResult[]
}

/** One of several runs that were told as one. */
export interface RunPart {
  readonly run_id: string
  readonly exit_code: number
  /** Their names. */
  readonly hosts: readonly string[]
}

export interface ResumedRun {
  readonly run_id: string
  /** Its steps of which nobody had heard, and what a look at the hosts says of them. */
  readonly in_doubt: readonly StepFound[]
  /** Ids of actions that are needed by now, that it had not planned, and that were left alone. */
  readonly left: readonly string[]
}

export interface StepFound {
  readonly host: string
  readonly service: string
  /** Absent for what is remembered after the proof. */
  readonly action?: string
  readonly step: string
  /** `not-done`: not, or not wholly. */
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
  /** `not-needed`: a second look, under the lock, found the host as wanted already. */
  readonly status: 'applied' | 'failed' | 'not-run' | 'not-needed' | 'refused'
  readonly ms: number
  /** Labels of the steps that were done. */
  readonly done: readonly string[]
  readonly problem?: Problem
  /** After a failure: whether the previous state was restored. `not-begun`: the run was interrupted. `left-to-host`: the host does it by itself. */
  readonly undone?: 'restored' | 'failed' | 'not-possible' | 'not-begun' | 'not-needed' | 'left-to-host'
  /** After a failure: in which state it was left; after a success: what could not be tidied up. */
  readonly left?: string
}

export interface SmokeResult {
  readonly host: string
  readonly service: string
  readonly ok: boolean
  readonly checks: readonly SmokeCheck[]
}

export interface SmokeCheck {
  readonly name: 'co-run' | 'health' | 'models' | 'key' | 'completion' | 'port-owner' | 'client'
  readonly ok: boolean
  readonly skipped?: string
  readonly detail: string
  readonly ms: number
}
