import { type ExitCode, exitCodes, worstOf } from '../context/exit-code.ts'
import { defined } from '../lib/defined.ts'
import { shellQuote } from '../lib/shell-quote.ts'
import type { Service } from '../model/fleet.ts'
import type { Plan } from '../model/plan.ts'
import type { Approval } from '../model/playbook.ts'
import type { RegistryAnswers } from '../model/registry.ts'
import { checkApprovals } from '../policy/approve.ts'
import { overviewOfPlan, type Surroundings } from '../report/overview-of-plan.ts'
import type { Paint } from '../report/paint.ts'
import { renderPlan } from '../report/plan-text.ts'
import { stepsOfPlan } from '../report/steps-of-plan.ts'
import { approvalsAgain, mustBeSame, type Resumption } from '../state/resumption.ts'
import { newRunId } from '../state/run-identity.ts'
import { mustBeFrom, mustStillHold, type PlanFile, playsDigest, savedApprovals, savedPlanText } from '../state/saved-plan.ts'
import { writeWhole } from '../state/write-whole.ts'
import { conclude } from './conclude.ts'
import {
  allApprovals,
  hostsOf,
  type LimitOptions,
  limitsOf,
  makePlan,
  noted,
  type PlanRequest,
  readNoted,
  servicesOf,
} from './make-plan.ts'
import { type OperationRun, playOf } from './operations.ts'
import type { Observation, PlanningRun } from './planning-run.ts'
import { type SelectedPlay, selectPlays, type UpgradeRollout, upgradePlay } from './plays.ts'
import { readyHubs } from './ready-hubs.ts'
import { mustNotCountHosts, withinPlays } from './sharded-plays.ts'
import { unseenExit } from './unseen-exit.ts'

/** What to plan: from a playbook and the command line, or from a saved plan. */
export interface PlanSource extends LimitOptions {
  readonly playbook: string | undefined
  readonly approvals: readonly Approval[]
  /** `start`, `stop`, `restart`, `use`. */
  readonly asks?: OperationRun
  /** Only versions are moved; absent: this is no upgrade. */
  readonly upgrade?: UpgradeSource
  /** `apply FILE`: the new plan must be part of it. */
  readonly saved?: PlanFile
  /** `resume`: the interrupted run. */
  readonly resumes?: Resumption
}

/** How an upgrade is rolled out, and how registries are asked. */
export interface UpgradeSource {
  readonly rollout: UpgradeRollout
  readonly ask: (services: readonly Service[], facts: Observation) => Promise<RegistryAnswers>
}

export interface PlanOnly extends PlanSource {
  readonly detailedExitcode: boolean
  /** Where to save the plan for a later `apply`. */
  readonly out?: string | undefined
}

/** Gathers facts, compares, prints. No code path leads from here to a write on a host; `test/architecture.test.ts` checks that. */
export async function planOnly(whole: PlanningRun, { detailedExitcode, out, ...source }: PlanOnly): Promise<ExitCode> {
  const { context, flags } = whole
  const request = await planRequest(whole, source)
  if (out !== undefined) mustNotCountHosts(whole.open, request.plays)
  const run = withinPlays(whole, request.plays)
  const askHubs = await readyHubs(run, servicesOf(run, request.plays))
  const seeing = run.observe(hostsOf(run, request.plays), { keep: false, phase: 'gather' })
  const [facts, answers] = await Promise.all([seeing, askHubs(seeing)])
  const registries = await source.upgrade?.ask(servicesOf(run, request.plays), facts)
  const plan = makePlan(run, { ...request, ...answers, ...defined({ registries }) }, facts)
  await run.stopDisplay()
  checkApprovals(plan, { given: allApprovals(request), now: plan.created_at, elsewhere: run.open.shard !== undefined })
  if (source.saved !== undefined) mustStillHold(source.saved, plan, context)
  const how = { verbose: flags.verbose === true, named: source.asks !== undefined, steps: flags.steps === true }
  const text = (paint: Paint) => renderPlan(plan, { paint, ...how })
  const overview = (around: Surroundings) => overviewOfPlan(plan, around)
  const exit = planExit(plan, detailedExitcode)
  const steps = flags.steps === true ? stepsOfPlan(plan) : undefined
  await conclude(
    run,
    { document: plan, text, overview, ...defined({ steps }) },
    { verb: 'plan', run_id: newRunId(context), exit },
  )
  if (out !== undefined) {
    const shard = run.open.shard?.shard
    await writeWhole(out, await savedPlanText({ ...plan, ...defined({ shard }) }, madeFrom(run, request, source), context))
    const sshOptions = flags.sshConfig === undefined ? [] : ['--ssh-config', flags.sshConfig]
    const { err } = context
    err.writeProse(
      `\nSaved. To apply exactly this plan:  ${err.paint.whole(shellQuote(['converge', 'apply', out, ...sshOptions]))}\n`,
    )
  }
  return exit
}

/** The request to the planner. Throws if a saved plan was made from other files than the present ones. */
export async function planRequest(run: PlanningRun, source: PlanSource): Promise<PlanRequest> {
  const { approvals, asks, saved, resumes, upgrade: _, ...options } = source
  const path = saved === undefined ? source.playbook : saved.plan.saved.playbook?.path
  const plays = await playsOf(run, source, path)
  const operations = defined({ operations: asks?.operations })
  const digest = path === undefined ? undefined : digestOfPlays(plays)
  if (resumes !== undefined) {
    mustBeSame(resumes, run.open.fleet.digest, digest)
    const bare = plays.map((selected) => ({ ...selected, play: { ...selected.play, approvals: [] } }))
    return { plays: bare, approvals: approvalsAgain(resumes, run.context.now()), ...operations, ...limitsOf(options) }
  }
  if (saved === undefined) return { plays, approvals, ...operations, ...limitsOf(options) }
  mustBeFrom(saved, run.open.fleet.digest, digest)
  return { plays, approvals: savedApprovals(saved), ...readNoted(saved.plan.saved) }
}

async function playsOf(
  { context, open }: PlanningRun,
  { asks, upgrade }: PlanSource,
  path: string | undefined,
): Promise<readonly SelectedPlay[]> {
  if (asks !== undefined) return [playOf(open, asks.operations)]
  const plays = await selectPlays(context, open, path)
  return upgrade === undefined ? plays : plays.map((play) => upgradePlay(play, upgrade.rollout))
}

export function digestOfPlays(plays: readonly SelectedPlay[]): string {
  return playsDigest(plays.map(({ play }) => play))
}

function madeFrom(run: PlanningRun, { plays, approvals, ...limits }: PlanRequest, { playbook }: PlanSource) {
  return {
    hosts: run.open.hosts.map(({ name }) => name),
    services: run.flags.service ?? [],
    ...(playbook === undefined ? {} : { playbook: { path: playbook, digest: digestOfPlays(plays) } }),
    consents: approvals.map(({ code, service, host, reason }) => ({
      code,
      service,
      reason,
      ...defined({ host }),
    })),
    ...noted(limits),
  }
}

/** The exit code of a plan: refusals, unreachable hosts and, if requested, pending changes. */
export function planExit({ summary, hosts }: Plan, detailed: boolean): ExitCode {
  return worstOf([
    ...(summary.refusals > 0 ? [exitCodes.refused] : []),
    ...hosts.flatMap(({ reachable, problem }) => (reachable ? [] : [unseenExit(problem)])),
    ...(detailed && summary.changes > 0 ? [exitCodes.changes] : []),
  ])
}
