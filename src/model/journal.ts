import type { RecordStep } from './applied-record.ts'
import type { HostPlan, Plan } from './plan.ts'
import type { GivenApproval } from './playbook.ts'
import type { ProcessIdentity } from './process-identity.ts'
import type { ActionResult, HostReport, SmokeResult } from './report.ts'

/**
 * The journal of a run on the controller: `<state folder>/runs/<run id>.ndjson`, for nobody but the user (0600). Each line is one of
 * these as JSON; lines are only ever added, in the order in which things happened. A run that ended has a `run-ended` as its last line; one
 * that was killed does not, and its last line may be torn. What is sent to a host is announced by a `step-intended` that is on disk
 * before anything is sent, and has a `step-ended` with the same host and `n` once it was heard of: a step with the one and without the
 * other is in doubt. It holds no content of files and scripts, and no secret. Who reads it passes over events that he does not know.
 *
 * A report can be made from it: the plan of `run-planned`, the `host-ended` of each host joined in their order, and `run-ended`.
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
  /** Told once for each play that has the host; hosts without work are not told of. */
  | { readonly event: 'host-ended'; readonly host: string; readonly report: HostReport }
  | RunEnded

/** The first line, and short, so that who looks for a run need not read the plan that follows. */
export interface RunBegun {
  readonly event: 'run-begun'
  readonly format: 1
  readonly run_id: string
  readonly verb: 'apply' | 'resume'
  /** The run that this one goes on with. */
  readonly continues?: string
  /** The version of converge. */
  readonly converge: string
  readonly owner: string
  readonly controller: string
  readonly pid: number
  /** Which process that was; absent where its system did not tell, and in journals of older versions. */
  readonly process?: ProcessIdentity
  /** `path`: absolute, without links. */
  readonly inventory: { readonly path: string; readonly digest: string }
  readonly selection: RunSelection
  /** Approvals from the command line. */
  readonly consents: readonly GivenApproval[]
}

/** What the command line selected, as it was given. */
export interface RunSelection {
  readonly limit?: string
  readonly services: readonly string[]
  /** Where a saved plan named them. */
  readonly hosts?: readonly string[]
  /** `digest`: over what its plays say. */
  readonly playbook?: { readonly path: string; readonly digest: string }
  readonly wait_idle_s?: number
  readonly max_downtime_s?: number
}

/** A refusal that was overruled, and why. */
export interface ApprovalUsed {
  readonly event: 'consent-used'
  readonly host: string
  readonly service?: string
  readonly code: string
  readonly reason: string
  /** ISO 8601; it holds no longer than that. */
  readonly until?: string
}

export interface StepIntended {
  readonly event: 'step-intended'
  readonly host: string
  /** Counts the steps of the run. */
  readonly n: number
  readonly service: string
  /** Id of the action it belongs to; absent for what is remembered after the proof. */
  readonly action?: string
  readonly step: string
  /** It is about what is remembered of the service; absent also in journals of older versions. */
  readonly record?: RecordStep
  /** It puts something back. */
  readonly undo?: true
}

export interface StepEnded {
  readonly event: 'step-ended'
  readonly host: string
  readonly n: number
  /** `not-done`: something kept it from doing anything; `failed`: part of it may have been done; `in-doubt`: it was not heard of. */
  readonly outcome: 'done' | 'not-done' | 'failed' | 'in-doubt'
}

export interface RunEnded {
  readonly event: 'run-ended'
  readonly exit_code: number
  /** Ids of what a plan made afterwards still found; absent: none was made. */
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
