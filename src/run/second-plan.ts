import type { Plan, Problem } from '../model/plan.ts'
import type { HostReport, RunReport } from '../model/report.ts'
import { isAllDone } from '../report/all-done.ts'
import { busyHosts } from './apply-exit.ts'
import { makePlan, type PlanRequest } from './make-plan.ts'
import { asDone } from './operations.ts'
import type { Run } from './run.ts'

/** The input of the second plan. */
export interface SecondPlanInput {
  readonly request: PlanRequest
  /** The plan before anything was done. */
  readonly before: Plan
  /** Ids of needed actions that this run was not allowed to do. */
  readonly left: readonly string[]
  /** The run waited for another run. */
  readonly waited: boolean
}

export interface SecondLook {
  /** Absent: nothing to plan again, or the run was interrupted. */
  readonly document?: NonNullable<RunReport['second_plan']>
  /** Why hosts could not be observed or planned again. */
  readonly failures?: readonly Problem[]
}

/** Plans hosts again where everything was done and proved: nothing may be left to do. */
export async function secondPlan(
  run: Run,
  { request, before, left, waited }: SecondPlanInput,
  reports: readonly HostReport[],
): Promise<SecondLook> {
  // After a wait for another run, the first plan is outdated.
  const busy = waited ? busyHosts(before) : new Set()
  const done = reports.filter((report) => isAllDone(report) && (report.actions.length > 0 || busy.has(report.host)))
  if (done.length === 0 || run.context.signal.aborted) return {}
  const names = new Set(done.map((report) => report.host))
  const hosts = run.open.hosts.filter(({ name }) => names.has(name))
  const facts = await run.observe(hosts, { keep: true, phase: 'second-plan' }).catch((error: unknown) => {
    // What was done must be reported in any case.
    if (run.context.signal.aborted) return undefined
    throw error
  })
  if (facts === undefined) return {}
  const { operations } = request
  const second = makePlan(run, operations === undefined ? request : { ...request, operations: asDone(operations) }, facts)
  const found = leftToDo(second, before).filter((id) => !left.includes(id))
  const failures = second.hosts.flatMap(({ problem }) => problem ?? [])
  return { document: { changes: found.length, actions: found }, failures }
}

/** What the second plan would still do, including hosts that are now unreachable: unknown is not empty. */
function leftToDo(second: Plan, first: Plan): readonly string[] {
  const refusedBefore = new Set(
    first.hosts.flatMap((host) => host.refusals.map((one) => `${host.host}/${one.service ?? ''} ${one.code}`)),
  )
  return second.hosts.flatMap((host) => {
    if (!host.reachable) return [`${host.host} (unreachable for the second plan)`]
    return [
      ...host.actions.filter((action) => action.kind !== 'noop').map((action) => action.id),
      ...host.refusals.map((one) => `${host.host}/${one.service ?? ''} ${one.code}`).filter((id) => !refusedBefore.has(id)),
    ]
  })
}
