import { defined } from '../../lib/defined.ts'
import type { HostReport, RunReport } from '../../model/report.ts'
import { asTheyAre, type InOrder } from './in-order.ts'
import { mergePlans } from './merge-plans.ts'
import { earliest, latest } from './moments.ts'
import { notificationsOf } from './notifications.ts'
import type { Unseen } from './unseen.ts'

/** Chooses the exit code from several. */
export type Worst = (codes: readonly number[]) => number

/**
 * Merges reports of several runs of one verb that share no host. The id combines all run ids.
 *
 * @param unseen hosts that no run covers
 */
export function mergeReports(
  reports: readonly RunReport[],
  unseen: readonly Unseen[],
  worst: Worst,
  inOrder: InOrder = asTheyAre,
): RunReport {
  const [first] = reports
  if (first === undefined) throw new RangeError('there is no report')
  const plans = reports.flatMap(({ plan }) => (plan === undefined ? [] : [plan]))
  return {
    schema: first.schema,
    verb: first.verb,
    run_id: reports.map(({ run_id }) => run_id).join('+'),
    started_at: earliest(reports.map(({ started_at }) => started_at)),
    finished_at: latest(reports.map(({ finished_at }) => finished_at)),
    ...(plans.length === 0 ? {} : { plan: mergePlans(plans, unseen, inOrder) }),
    ...defined({ inventory: first.inventory }),
    parts: reports.flatMap(partsOf),
    hosts: inOrder([...reports.flatMap(({ hosts }) => hosts), ...unseen.map(unseenHost)]),
    ...secondPlanOf(reports),
    exit_code: worst(reports.map(({ exit_code }) => exit_code)),
    ...notificationsOf(reports),
  }
}

function partsOf({ parts, run_id, exit_code, hosts }: RunReport): NonNullable<RunReport['parts']> {
  return parts ?? [{ run_id, exit_code, hosts: hosts.map(({ host }) => host) }]
}

function unseenHost({ host, problem }: Unseen): HostReport {
  return { host, reachable: false, problem, actions: [], smoke: [] }
}

/** Remaining changes of any report count. "Nothing left" holds only if every report has a second plan. */
function secondPlanOf(reports: readonly RunReport[]): Pick<RunReport, 'second_plan'> {
  const all = reports.flatMap(({ second_plan: plan }) => (plan === undefined ? [] : [plan]))
  const changes = all.reduce((sum, plan) => sum + plan.changes, 0)
  if (changes === 0 && all.length < reports.length) return {}
  return { second_plan: { changes, actions: all.flatMap(({ actions }) => actions) } }
}
