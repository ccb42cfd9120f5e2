import type { Plan, Problem } from '../model/plan.ts'
import type { HostReport, RunReport } from '../model/report.ts'
import { isAllDone } from '../report/all-done.ts'
import { busyHosts } from './apply-exit.ts'
import { makePlan, type PlanRequest } from './make-plan.ts'
import type { Run } from './run.ts'

/** What is asked of the second look. */
export interface FirstLook {
  readonly request: PlanRequest
  /** What was found before anything was done. */
  readonly before: Plan
  /** Ids of actions that were needed and not this run's. */
  readonly left: readonly string[]
  /** Another run was waited for. */
  readonly waited: boolean
}

export interface SecondLook {
  /** Absent: there was nothing to look at again, or no time to. */
  readonly told?: NonNullable<RunReport['second_plan']>
  /** Why hosts could not be looked at or planned again. */
  readonly failures?: readonly Problem[]
}

/** Where everything was done and proved, nothing may be left to do. */
export async function secondPlan(
  run: Run,
  { request, before, left, waited }: FirstLook,
  reports: readonly HostReport[],
): Promise<SecondLook> {
  // Where another run was waited for, the first plan was made beside it.
  const busy = waited ? busyHosts(before) : new Set()
  const done = reports.filter((report) => isAllDone(report) && (report.actions.length > 0 || busy.has(report.host)))
  if (done.length === 0 || run.context.signal.aborted) return {}
  const names = new Set(done.map((report) => report.host))
  const hosts = run.open.hosts.filter(({ name }) => names.has(name))
  const facts = await run.observe(hosts, { keep: true, phase: 'second-plan' }).catch((error: unknown) => {
    // What was done is told, whatever comes in between now.
    if (run.context.signal.aborted) return undefined
    throw error
  })
  if (facts === undefined) return {}
  const second = makePlan(run, request, facts)
  const found = leftToDo(second, before).filter((id) => !left.includes(id))
  const failures = second.hosts.flatMap(({ problem }) => problem ?? [])
  return { told: { changes: found.length, actions: found }, failures }
}

/** What a second plan would still do, and what it cannot tell any more: unknown is not empty. */
function leftToDo(second: Plan, first: Plan): readonly string[] {
  const refusedBefore = new Set(
    first.hosts.flatMap((host) => host.refusals.map((one) => `${host.host}/${one.service ?? ''} ${one.code}`)),
  )
  return second.hosts.flatMap((host) => {
    if (!host.reachable) return [`${host.host} (could not be looked at again)`]
    return [
      ...host.actions.filter((action) => action.kind !== 'noop').map((action) => action.id),
      ...host.refusals.map((one) => `${host.host}/${one.service ?? ''} ${one.code}`).filter((id) => !refusedBefore.has(id)),
    ]
  })
}
