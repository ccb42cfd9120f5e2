import type { RunReport } from '../../model/report.ts'
import { mergePlans } from './merge-plans.ts'
import { earliest, latest } from './moments.ts'
import { notificationsOf } from './notifications.ts'

/** Which exit code is told when several hold. */
export type Worst = (codes: readonly number[]) => number

/**
 * One report of several runs of a verb that share no host. Its id names them all.
 */
export function mergeReports(reports: readonly RunReport[], worst: Worst): RunReport {
  const [first] = reports
  if (first === undefined) throw new RangeError('there is no report')
  const plans = reports.flatMap(({ plan }) => (plan === undefined ? [] : [plan]))
  const second = reports.flatMap(({ second_plan: plan }) => (plan === undefined ? [] : [plan]))
  return {
    schema: first.schema,
    verb: first.verb,
    run_id: reports.map(({ run_id }) => run_id).join('+'),
    started_at: earliest(reports.map(({ started_at }) => started_at)),
    finished_at: latest(reports.map(({ finished_at }) => finished_at)),
    ...(plans.length === 0 ? {} : { plan: mergePlans(plans) }),
    hosts: reports.flatMap(({ hosts }) => hosts),
    // Only where each was looked at again it is known of all.
    ...(second.length < reports.length
      ? {}
      : {
          second_plan: {
            changes: second.reduce((sum, { changes }) => sum + changes, 0),
            actions: second.flatMap(({ actions }) => actions),
          },
        }),
    exit_code: worst(reports.map(({ exit_code }) => exit_code)),
    ...notificationsOf(reports),
  }
}
