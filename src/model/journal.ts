import type { RecordStep } from './applied-record.ts'
import type { Operation } from './operation.ts'
import type { HostPlan, Plan } from './plan.ts'
import type { BatchSize, GivenApproval } from './playbook.ts'
import type { ProcessIdentity } from './process-identity.ts'
import type { ActionResult, HostReport, RunVerb, SmokeResult } from './report.ts'
import type { Shard } from './shard.ts'

/**
 * The journal of a run on the controller: `<state folder>/runs/<run id>.ndjson`, readable only by the user (0600). Each line is one of these as
 * JSON; lines are only appended, in order of occurrence. The last line of a finished run is `run-ended`; a killed run has none, and its last line
 * may be torn. Before anything is sent to a host, a `step-intended` is on disk; a `step-ended` with the same host and `n` follows once the result
 * is known: a step without it is in doubt. The journal contains no content of files and scripts, and no secrets. Readers skip unknown events.
 *
 * A report can be made from it: the plan of `run-planned`, the `host-ended` of each host joined in order, and `run-ended`.
 */
export type JournalEntry = JournalEvent & {
  /** ISO 8601, controller's clock. */
  readonly at: string
}

export type JournalEvent =
  | RunBegun
  | { readonly event: 'run-planned'; readonly plan: Plan }
  | ApprovalUsed
  | StepIntended
  | StepEnded
  | { readonly event: 'action-ended'; readonly host: string; readonly result: ActionResult }
  | { readonly event: 'service-proved'; readonly host: string; readonly result: SmokeResult }
  /** One for each play with the host; hosts without work have none. */
  | { readonly event: 'host-ended'; readonly host: string; readonly report: HostReport }
  | RunEnded

/** The first line, kept short, so that a search for runs need not read the plan that follows. */
export interface RunBegun {
  readonly event: 'run-begun'
  readonly format: 1
  readonly run_id: string
  readonly verb: RunVerb
  /** The run that this one continues. */
  readonly continues?: string
  /** The version of converge. */
  readonly converge: string
  readonly owner: string
  readonly controller: string
  readonly pid: number
  /** The process; absent if its system did not report it, and in journals of older versions. */
  readonly process?: ProcessIdentity
  /** `path`: absolute, without links. */
  readonly inventory: { readonly path: string; readonly digest: string }
  readonly selection: RunSelection
  /** Absent: the run covers all hosts of its selection. */
  readonly shard?: Shard
  /** Approvals from the command line. */
  readonly consents: readonly GivenApproval[]
}

/** The selection on the command line, as given. */
export interface RunSelection {
  readonly limit?: string
  readonly services: readonly string[]
  /** Set if a saved plan named them. */
  readonly hosts?: readonly string[]
  /** `digest`: over the content of its plays. */
  readonly playbook?: { readonly path: string; readonly digest: string }
  readonly wait_idle_s?: number
  readonly max_downtime_s?: number
  /** What was asked of services by name. Absent: the inventory was applied. */
  readonly operations?: readonly JournalledOperation[]
  /** Only versions were moved; with what the command line said of the rollout. */
  readonly upgrade?: { readonly serial?: readonly BatchSize[]; readonly max_slowdown?: number }
}

export interface JournalledOperation extends Operation {
  /** `host/service` */
  readonly pair: string
}

/** A refusal that was overruled, and why. */
export interface ApprovalUsed {
  readonly event: 'consent-used'
  readonly host: string
  readonly service?: string
  readonly code: string
  readonly reason: string
  /** ISO 8601; when it expires. */
  readonly until?: string
}

export interface StepIntended {
  readonly event: 'step-intended'
  readonly host: string
  /** Counts the steps of the run. */
  readonly n: number
  readonly service: string
  /** Id of its action; absent for records written after the proof. */
  readonly action?: string
  readonly step: string
  /** Its effect on the record of the service; absent also in journals of older versions. */
  readonly record?: RecordStep
  /** It is part of a rollback. */
  readonly undo?: true
}

export interface StepEnded {
  readonly event: 'step-ended'
  readonly host: string
  readonly n: number
  /** `not-done`: prevented before it did anything; `failed`: part of it may have been done; `in-doubt`: the result is unknown. */
  readonly outcome: 'done' | 'not-done' | 'failed' | 'in-doubt'
}

export interface RunEnded {
  readonly event: 'run-ended'
  readonly exit_code: number
  /** Ids of actions that a later plan still found; absent: no such plan was made. */
  readonly second_plan?: readonly string[]
}

/** The approvals that a plan was approved with. */
export function approvalsUsed({ hosts }: { readonly hosts: readonly HostPlan[] }): readonly ApprovalUsed[] {
  return hosts.flatMap(({ host, consented }) =>
    consented.flatMap(({ service, code, consent }): ApprovalUsed[] =>
      consent === undefined
        ? []
        : [{ event: 'consent-used', host, ...(service === undefined ? {} : { service }), code, ...consent }],
    ),
  )
}
