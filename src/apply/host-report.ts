import type { Problem } from '../model/plan.ts'
import type { HostReport, SmokeResult } from '../model/report.ts'
import { countActions } from '../report/count-actions.ts'
import type { HostTask } from './host-task.ts'
import { notRun } from './run-actions.ts'

/** Whether all work on the host was done and proved. */
export function isHostOk(report: HostReport): boolean {
  const actionsOk = report.actions.every(({ status }) => status !== 'failed' && status !== 'not-run')
  return report.reachable && report.problem === undefined && actionsOk && report.smoke.every((smoke) => smoke.ok)
}

/** Services that the next run need not prove again when it proves the rest. */
export function provedServices(report: HostReport): readonly string[] {
  return wasCutOff(report) ? report.smoke.filter(({ ok }) => ok).map(({ service }) => service) : []
}

/** An interrupt came before or during a proof. */
export function wasCutOff({ smoke }: HostReport): boolean {
  return smoke.some(({ ok, checks }) => !ok && checks.every((check) => check.ok || check.skipped !== undefined))
}

/** Services that an earlier run left unsettled and that are in order now: no action failed, and what should run is proved. */
export function settledServicesOf({ unfinished, actions }: HostTask, report: HostReport): readonly string[] {
  const proved = new Set(report.smoke.filter(({ ok }) => ok).map(({ service }) => service))
  const undone = new Set(
    report.actions.filter(({ status }) => status !== 'applied' && status !== 'not-needed').map(({ action }) => action),
  )
  const failed = new Set(actions.filter(({ id }) => undone.has(id)).map(({ service }) => service))
  const { left, prove } = unfinished ?? { left: [], prove: [] }
  return left.filter((service) => !failed.has(service) && (proved.has(service) || !prove.includes(service)))
}

/** The report of a task of which nothing was done. */
export function nothingRun(task: HostTask, left: string, problem?: Problem): HostReport {
  const report = { host: task.host, reachable: true, actions: task.actions.map((action) => notRun(action, left)), smoke: [] }
  return problem === undefined ? report : { ...report, problem }
}

function wasSeenToFail({ checks }: SmokeResult): boolean {
  return checks.some((check) => !check.ok && check.skipped === undefined)
}

/** The result of a host in one line: `3 applied, coder does not work`. */
export function noteOf(report: HostReport): string {
  const { applied, failed, rolledBack, notRolledBack, notRun: unrun } = countActions(report.actions)
  const counts: readonly [number, string][] = [
    [applied, 'applied'],
    [failed, 'failed'],
    [rolledBack, 'rolled back'],
    [notRolledBack, 'not rolled back'],
    [unrun, 'not run'],
  ]
  const parts = [
    ...counts.flatMap(([count, words]) => (count > 0 ? [`${count} ${words}`] : [])),
    ...report.smoke
      .filter((smoke) => !smoke.ok)
      .map((smoke) => `${smoke.service} ${wasSeenToFail(smoke) ? 'does not work' : 'was not verified'}`),
  ]
  return parts.join(', ')
}
