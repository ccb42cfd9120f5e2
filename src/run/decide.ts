import { foundInDoubt, remainderOf } from '../journal/remainder.ts'
import { defined } from '../lib/defined.ts'
import type { ApprovedPlan, Plan } from '../model/plan.ts'
import type { ResumedRun } from '../model/report.ts'
import { approve } from '../policy/approve.ts'
import type { ControllerLock } from '../state/controller-lock.ts'
import type { RunIdentity } from '../state/run-identity.ts'
import { allApprovals, hostsOf, makePlan, type PlanRequest, servicesOf } from './make-plan.ts'
import type { PlanSource } from './plan-only.ts'
import type { Observation } from './planning-run.ts'
import { readyHubs } from './ready-hubs.ts'
import type { Run } from './run.ts'

/** The input of a run that holds the lock of its inventory on this machine. */
export interface Decision {
  readonly identity: RunIdentity
  readonly lock: ControllerLock
  readonly confirmed: boolean
  readonly lockTimeoutMs: number | undefined
  readonly source: PlanSource
  readonly request: PlanRequest
}

/** What was observed, planned and approved. */
export interface PlannedRun {
  readonly facts: Observation
  /** With the hubs' answers, which all later planning of the run uses too. */
  readonly request: PlanRequest
  /** The plan before `resume` leaves anything out. */
  readonly before: Plan
  readonly plan: ApprovedPlan
  /** Ids of the allowed actions; absent: all. */
  readonly agreed?: readonly string[]
  readonly resumed?: ResumedRun
}

/** Gathers facts, plans, and for `resume` leaves out what the interrupted run did not plan. */
export async function decide(run: Run, decision: Pick<Decision, 'request' | 'source'>): Promise<PlannedRun> {
  const { plays } = decision.request
  const askHubs = await readyHubs(run, servicesOf(run, plays))
  const seeing = run.observe(hostsOf(run, plays), { keep: true, phase: 'gather' })
  const [facts, answers] = await Promise.all([seeing, askHubs(seeing)])
  const registries = await decision.source.upgrade?.ask(servicesOf(run, plays), facts)
  const request = { ...decision.request, ...answers, ...defined({ registries }) }
  const before = makePlan(run, request, facts)
  const { agreed, resumed } = resumedPart(decision.source, before, facts)
  const agreedPlan = agreed === undefined ? before : makePlan(run, { ...request, agreed }, facts)
  const plan = approve(agreedPlan, {
    given: allApprovals(request),
    now: agreedPlan.created_at,
    elsewhere: run.open.shard !== undefined,
  })
  return { facts, request, before, plan, ...defined({ agreed, resumed }) }
}

/** For `resume`: the allowed actions of the plan, and what became of the interrupted run. */
function resumedPart(
  { resumes }: PlanSource,
  now: Plan,
  facts: Observation,
): { readonly agreed?: readonly string[]; readonly resumed?: ResumedRun } {
  if (resumes === undefined) return {}
  const { agreed, left } = remainderOf(resumes.run, now)
  return { agreed, resumed: { run_id: resumes.run.begun.run_id, in_doubt: foundInDoubt(resumes.run, now, facts), left } }
}
