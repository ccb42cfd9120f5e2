import { type ExitCode, exitCodes, worstOf } from '../context/exit-code.ts'
import { catalogue } from '../errors/catalogue.ts'
import type { Plan } from '../model/plan.ts'
import type { ActionResult, HostReport, RunReport } from '../model/report.ts'
import { hostLocked } from '../policy/rules/host-locked.ts'
import { unseenExit } from './unseen-exit.ts'

/**
 * How a run ends: the worst of what happened anywhere in it.
 *
 * @param waited other runs were waited for, also where nothing was to be done
 */
export function applyExit(
  report: Pick<RunReport, 'hosts' | 'second_plan'>,
  plan: Pick<Plan, 'summary' | 'hosts'> | undefined,
  waited = false,
): ExitCode {
  const codes: ExitCode[] = [exitCodes.done]
  if ((plan?.summary.refusals ?? 0) > 0) codes.push(exitCodes.refused)
  if ((report.second_plan?.changes ?? 0) > 0) codes.push(exitCodes.notProved)
  // What another run is about to change is not as wanted because it was so a moment ago; where we had our turn, it is.
  const busy = plan === undefined || waited ? new Set() : busyHosts(plan)
  return worstOf([...codes, ...report.hosts.flatMap((host) => exitsOfHost(host, busy.has(host.host)))])
}

/** @param isBusy another run was at work there */
function exitsOfHost({ reachable, problem, actions, smoke }: HostReport, isBusy: boolean): readonly ExitCode[] {
  const codes: ExitCode[] = []
  if (isBusy && actions.length === 0) codes.push(exitCodes.locked)
  if (!reachable) codes.push(unseenExit(problem))
  else if (problem !== undefined) codes.push(exitOf(problem.code))
  // A step that was held back by a problem of its own (the host changed since the plan) is not done either.
  const undone = actions.filter((result) => result.status === 'failed' || result.problem !== undefined)
  codes.push(...undone.map(exitOfResult))
  if (smoke.some(({ ok }) => !ok)) codes.push(exitCodes.notProved)
  return codes
}

/** Where another run was at work when it was planned. */
export function busyHosts({ hosts }: Pick<Plan, 'hosts'>): ReadonlySet<string> {
  const busy = hosts.filter((host) => host.warnings.some(({ code }) => code === hostLocked.code))
  return new Set(busy.map(({ host }) => host))
}

/** What was applied and is not proved has a number of its own, whether or not it was put back. */
function exitOfResult({ problem }: ActionResult): ExitCode {
  const exit = problem === undefined ? exitCodes.stepFailed : exitOf(problem.code)
  return exit === exitCodes.notProved || exit === exitCodes.bug ? exit : exitCodes.stepFailed
}

/** What the catalogue says of the code; a connection that broke before anything was done is a host that was not reachable. */
function exitOf(code: string): ExitCode {
  return Object.entries(catalogue).find(([known]) => known === code)?.[1].exit ?? exitCodes.stepFailed
}
