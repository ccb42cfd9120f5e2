import { type ExitCode, exitCodes, worstOf } from '../context/exit-code.ts'
import { catalogue } from '../errors/catalogue.ts'
import type { Plan } from '../model/plan.ts'
import type { ActionResult, HostReport, RunReport } from '../model/report.ts'
import { hostLocked } from '../policy/rules/host-locked.ts'
import { unseenExit } from './unseen-exit.ts'

/**
 * The exit code of a run: the worst result anywhere in it.
 *
 * @param waited the run waited for other runs, even where it had nothing to do
 */
export function applyExit(
  report: Pick<RunReport, 'hosts' | 'second_plan'>,
  plan: Pick<Plan, 'summary' | 'hosts'> | undefined,
  waited = false,
): ExitCode {
  const codes: ExitCode[] = [exitCodes.done]
  if ((plan?.summary.refusals ?? 0) > 0) codes.push(exitCodes.refused)
  if ((report.second_plan?.changes ?? 0) > 0) codes.push(exitCodes.notProved)
  // A host that another run is changing is not known to be in the desired state. Once we held its lock, it is.
  const busy = plan === undefined || waited ? new Set() : busyHosts(plan)
  return worstOf([...codes, ...report.hosts.flatMap((host) => exitsOfHost(host, busy.has(host.host)))])
}

/** @param isBusy another run held the lock there */
function exitsOfHost({ reachable, problem, actions, smoke }: HostReport, isBusy: boolean): readonly ExitCode[] {
  const codes: ExitCode[] = []
  if (isBusy && actions.length === 0) codes.push(exitCodes.locked)
  if (!reachable) codes.push(unseenExit(problem))
  else if (problem !== undefined) codes.push(exitOf(problem.code))
  // An action that was not run because of a problem (the host changed since the plan) is not done either.
  const undone = actions.filter((result) => result.status === 'failed' || result.problem !== undefined)
  codes.push(...undone.map(exitOfResult))
  if (smoke.some(({ ok }) => !ok)) codes.push(exitCodes.notProved)
  return codes
}

/** Hosts that another run was changing when they were planned. */
export function busyHosts({ hosts }: Pick<Plan, 'hosts'>): ReadonlySet<string> {
  const busy = hosts.filter((host) => host.warnings.some(({ code }) => code === hostLocked.code))
  return new Set(busy.map(({ host }) => host))
}

/** An applied but unproved action has its own exit code, rolled back or not. */
function exitOfResult({ problem }: ActionResult): ExitCode {
  const exit = problem === undefined ? exitCodes.stepFailed : exitOf(problem.code)
  return exit === exitCodes.notProved || exit === exitCodes.bug ? exit : exitCodes.stepFailed
}

/** The exit code from the catalogue. A connection that broke before any change counts as an unreachable host. */
function exitOf(code: string): ExitCode {
  return Object.entries(catalogue).find(([known]) => known === code)?.[1].exit ?? exitCodes.stepFailed
}
