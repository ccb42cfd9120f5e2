import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type ExitCode, exitCodes, worstOf } from '../context/exit-code.ts'
import { foldText, terminalWidth } from '../context/fold-text.ts'
import { noteBug, wholeOrPart } from '../context/tell-bug.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { hostBug } from '../errors/host-bug.ts'
import { foundInDoubt, remainderOf } from '../journal/remainder.ts'
import { defined } from '../lib/defined.ts'
import type { RunSelection } from '../model/journal.ts'
import type { ApprovedPlan, Plan } from '../model/plan.ts'
import type { Consent } from '../model/playbook.ts'
import type { HostReport, ResumedRun, RunReport } from '../model/report.ts'
import { withoutSteps } from '../plan/without-steps.ts'
import { approve } from '../policy/approve.ts'
import { renderPlan } from '../report/plan-text.ts'
import { renderProblem } from '../report/problem-text.ts'
import { renderResumed } from '../report/resumed-text.ts'
import { runResult } from '../report/run-result.ts'
import { type ControllerLock, lockInventory, lockLost } from '../state/controller-lock.ts'
import { newRun, type RunIdentity } from '../state/run-identity.ts'
import { beginJournal } from '../state/run-journal.ts'
import { mustStillHold } from '../state/saved-plan.ts'
import { mustBeUnused, usePlan } from '../state/used-plans.ts'
import type { ActingRun } from './acting-run.ts'
import { applyExit } from './apply-exit.ts'
import { ask, mustBeAbleToAsk, notWanted } from './ask.ts'
import { conclude } from './conclude.ts'
import { stdoutFormat } from './deliver.ts'
import { allConsents, hostsOf, makePlan, noted, type PlanRequest, servicesOf } from './make-plan.ts'
import { digestOfPlays, type PlanSource, planRequest } from './plan-only.ts'
import type { Observation } from './planning-run.ts'
import { readyHubs } from './ready-hubs.ts'
import { rollOutPlays } from './roll-out-plays.ts'
import { secondPlan } from './second-plan.ts'
import { unseenExit } from './unseen-exit.ts'

export interface ApplyRequest extends PlanSource {
  /** `-y`: do not ask. */
  readonly confirmed: boolean
  /** How long to wait for another run; absent: not at all. */
  readonly lockTimeoutMs?: number
}

/** Looks, plans, asks, does, proves, and looks again: a second plan has to be empty. */
export async function applyRun(run: ActingRun, { confirmed, lockTimeoutMs, ...source }: ApplyRequest): Promise<ExitCode> {
  const { context } = run
  mustBeAbleToAsk(context, run.flags, confirmed)
  if (source.saved !== undefined) await mustBeUnused(context, source.saved)
  const request = await planRequest(run, source)
  const identity = newRun(context)
  await using lock = await lockInventory(context, {
    inventory: await realpath(run.open.fleet.path),
    hosts: hostsOf(run, request.plays),
    holder: identity,
    say: (text) => context.err.write(text),
    ...defined({ lockTimeoutMs }),
  })
  // Awaited here: the lock goes with this function.
  return await carryOut(run, { identity, lock, confirmed, lockTimeoutMs, source, request })
}

export interface Decision {
  readonly identity: RunIdentity
  readonly lock: ControllerLock
  readonly confirmed: boolean
  readonly lockTimeoutMs: number | undefined
  readonly source: PlanSource
  readonly request: PlanRequest
}

/** What `apply` and `resume` do once they know what they are about, and nobody else is. */
export async function carryOut(run: ActingRun, decision: Decision): Promise<ExitCode> {
  const { identity, lock, confirmed, lockTimeoutMs, source } = decision
  const { context } = run
  const { saved, resumes } = source
  const { plays } = decision.request
  const askHubs = await readyHubs(run, servicesOf(run, plays))
  const seeing = run.observe(hostsOf(run, plays), { keep: true, phase: 'gather' })
  const [facts, answers] = await Promise.all([seeing, askHubs(seeing)])
  // Whatever is planned later goes by the same answers.
  const request = { ...decision.request, ...answers }
  const before = makePlan(run, request, facts)
  const { agreed, resumed } = goesOn(source, before, facts)
  const plan = approve(...withLeave(agreed === undefined ? before : makePlan(run, { ...request, agreed }, facts), request))
  await run.stopDisplay()
  if (saved !== undefined) mustStillHold(saved, plan)
  if (stdoutFormat(run.flags) !== 'json') show(run, plan, resumed)
  const answer = plan.summary.changes === 0 || confirmed ? 'yes' : await ask(context, 'Do this?')
  if (answer !== 'yes') {
    context.err.write('\nNothing was done.\n')
    return notWanted
  }
  const giveBack = saved === undefined || plan.summary.changes === 0 ? undefined : await usePlan(context, saved, identity.run_id)
  await using journal = await beginJournal(context, {
    ...identity,
    verb: resumes === undefined ? 'apply' : 'resume',
    ...(resumes === undefined ? {} : { continues: resumes.run.begun.run_id }),
    selection: selectionOf(run, source, request),
    consents: request.consents,
    plan,
  }).catch(async (error: unknown) => {
    await giveBack?.()
    throw error
  })
  const signal = AbortSignal.any([context.signal, lock.lost])
  const work = { ...request, ...defined({ agreed }) }
  const about = { identity, request: work, facts, plan, journal, signal, lockTimeoutMs, saved, resumes }
  const reports = await rollOutPlays(run, about)
  if (reports.every(isUntouched)) await giveBack?.()
  const waited = lockTimeoutMs !== undefined
  // What was done is told, whatever comes in between now.
  const look = await secondPlan(run, { request, before, left: resumed?.left ?? [], waited }, reports).catch((error: unknown) => {
    noteBug(context, error, 'It kept the hosts from being looked at again; the report of what was done follows.')
    return { failures: [hostBug('all hosts', error).toProblem()] }
  })
  const second = 'told' in look ? look.told : undefined
  await run.stopDisplay()
  const unfinished = {
    schema: 'converge/report/v1',
    verb: resumes === undefined ? 'apply' : 'resume',
    run_id: identity.run_id,
    started_at: identity.started,
    finished_at: context.now().toISOString(),
    plan: withoutSteps(plan),
    ...defined({ resumed }),
    hosts: reports,
    ...defined({ second_plan: second }),
  } as const
  const done = context.signal.aborted ? exitCodes.interrupted : applyExit(unfinished, plan, waited)
  const exit = worstOf([
    done,
    ...(lock.lost.aborted ? [exitCodes.locked] : []),
    ...((look.failures ?? []).some((problem) => unseenExit(problem) === exitCodes.bug) ? [exitCodes.bug] : []),
    ...(saved !== undefined && reports.some(wentStale) ? [exitCodes.planStale] : []),
  ])
  if (lock.lost.aborted) sayLost(run)
  await journal.end(exit, second?.actions)
  const report: RunReport = { ...unfinished, exit_code: exit }
  try {
    await conclude(run, runResult(report), { verb: report.verb, run_id: report.run_id, exit })
  } catch (error) {
    // The hosts were changed: how that went is what the exit code tells.
    if (!(error instanceof ConvergeError)) throw error
    context.err.write(`${renderProblem(error.toProblem(), context.err.paint)}\n`)
  }
  return exit
}

/** What of the plan may be done where it goes on with an earlier run, and what became of that one. */
function goesOn(
  { resumes }: PlanSource,
  now: Plan,
  facts: Observation,
): { readonly agreed?: readonly string[]; readonly resumed?: ResumedRun } {
  if (resumes === undefined) return {}
  const { agreed, left } = remainderOf(resumes.run, now)
  return { agreed, resumed: { run_id: resumes.run.begun.run_id, in_doubt: foundInDoubt(resumes.run, now, facts), left } }
}

function show({ context, flags }: ActingRun, plan: ApprovedPlan, resumed: ResumedRun | undefined): void {
  const { err } = context
  const { paint } = err
  const first = resumed === undefined ? '' : `${renderResumed(resumed, paint)}\n\n`
  const text = `${first}${wholeOrPart(context, () => renderPlan(plan, { paint, verbose: flags.verbose === true, steps: flags.steps === true }))}`
  err.write(foldText(text, terminalWidth(err)))
}

function sayLost({ context: { err }, open }: ActingRun): void {
  err.write(`${renderProblem(lockLost(open.fleet.path).toProblem(), err.paint)}\n`)
}

/** What the run was about, so that another one can go on with it. */
function selectionOf(
  { flags }: ActingRun,
  { playbook, saved, resumes }: PlanSource,
  { plays, ...limits }: PlanRequest,
): RunSelection {
  const path = saved === undefined ? playbook : saved.plan.saved.playbook?.path
  const followed = path === undefined ? undefined : { path: resolve(path), digest: digestOfPlays(plays) }
  // Its consents are part of it, and this run goes without them.
  const given = resumes === undefined ? followed : resumes.run.begun.selection.playbook
  return {
    ...defined({ limit: flags.limit, hosts: flags.hosts }),
    services: flags.service ?? [],
    ...defined({ playbook: given }),
    ...noted(limits),
  }
}

function withLeave(plan: Plan, request: PlanRequest): [Plan, { consents: readonly Consent[]; now: string }] {
  return [plan, { consents: allConsents(request), now: plan.created_at }]
}

/** The host changed between the first look and the lock, so that something of the plan was not done. */
function wentStale({ actions }: HostReport): boolean {
  return actions.some(({ status, problem }) => status === 'not-run' && problem?.code === 'APPLY.STALE')
}

/** Nothing was sent there. */
function isUntouched({ actions }: HostReport): boolean {
  return actions.every(({ status }) => status === 'not-run')
}
