import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { ExitCode } from '../context/exit-code.ts'
import { noteBug, wholeOrPart } from '../context/report-bug.ts'
import { hostBug } from '../errors/host-bug.ts'
import { defined } from '../lib/defined.ts'
import type { RunSelection } from '../model/journal.ts'
import type { ApprovedPlan } from '../model/plan.ts'
import type { HostReport, ResumedRun } from '../model/report.ts'
import { renderPlan } from '../report/plan-text.ts'
import { renderResumed } from '../report/resumed-text.ts'
import { lockInventory } from '../state/controller-lock.ts'
import { newRun } from '../state/run-identity.ts'
import { beginJournal, type RunJournal } from '../state/run-journal.ts'
import { mustStillHold } from '../state/saved-plan.ts'
import { mustBeUnused, usePlan } from '../state/used-plans.ts'
import type { ActingRun } from './acting-run.ts'
import { isAgreed, mustBeAbleToAsk, notWanted } from './ask.ts'
import { type Decision, decide, type PlannedRun } from './decide.ts'
import { stdoutFormat } from './deliver.ts'
import { finishRun, verbOf } from './finish-run.ts'
import { hostsOf, noted, type PlanRequest } from './make-plan.ts'
import { journalledOperations } from './operations.ts'
import { digestOfPlays, type PlanSource, planRequest } from './plan-only.ts'
import { notedRollout } from './plays.ts'
import { rollOutPlays } from './roll-out-plays.ts'
import { type SecondLook, secondPlan } from './second-plan.ts'
import { mustNotCountHosts, withinPlays } from './sharded-plays.ts'

export interface ApplyRequest extends PlanSource {
  /** `-y`: do not ask. */
  readonly confirmed: boolean
  /** How long to wait for another run; absent: do not wait. */
  readonly lockTimeoutMs?: number
}

/** Gathers facts, plans, asks, applies, proves, and plans again: the second plan must be empty. */
export async function applyRun(whole: ActingRun, { confirmed, lockTimeoutMs, ...source }: ApplyRequest): Promise<ExitCode> {
  const { context } = whole
  mustBeAbleToAsk(context, whole.flags, confirmed)
  if (source.saved !== undefined) await mustBeUnused(context, source.saved)
  const request = await planRequest(whole, source)
  mustNotCountHosts(whole.open, request.plays)
  const run = withinPlays(whole, request.plays)
  const identity = newRun(context)
  await using lock = await lockInventory(context, {
    inventory: await realpath(run.open.fleet.path),
    hosts: hostsOf(run, request.plays).map(({ name }) => name),
    holder: identity,
    note: (text) => context.err.writeProse(text),
    ...defined({ lockTimeoutMs }),
  })
  return await carryOut(run, { identity, lock, confirmed, lockTimeoutMs, source, request })
}

/** What `apply` and `resume` share once they hold the lock of the inventory: decide, ask, act, plan again, report. */
export async function carryOut(run: ActingRun, decision: Decision): Promise<ExitCode> {
  const { identity, lock, source } = decision
  const { context } = run
  const { asks, saved, resumes } = source
  const decided = await decide(run, decision)
  const { plan, facts, request, agreed, resumed } = decided
  await run.stopDisplay()
  if (saved !== undefined) mustStillHold(saved, plan, context)
  if (stdoutFormat(run.flags) !== 'json') show(run, plan, { resumed, named: asks !== undefined })
  asks?.whole?.(plan, facts)
  const isSure = decision.confirmed || !mayInterrupt(plan)
  if (!isSure && !(await isAgreed(context, questionAbout(plan), 'Nothing was done.'))) return notWanted
  const releasePlan =
    saved === undefined || plan.summary.changes === 0 ? undefined : await usePlan(context, saved, identity.run_id)
  await using journal = await journalOf(run, decision, decided).catch(async (error: unknown) => {
    await releasePlan?.()
    throw error
  })
  const signal = AbortSignal.any([context.signal, lock.lost])
  const agreedRequest = { ...request, ...defined({ agreed }) }
  const { lockTimeoutMs } = decision
  const reports = await rollOutPlays(run, {
    identity,
    request: agreedRequest,
    facts,
    plan,
    journal,
    signal,
    lockTimeoutMs,
    saved,
    resumes,
  })
  if (reports.every(isUntouched)) await releasePlan?.()
  const look = await lookAgain(run, decision, { decided, reports })
  await run.stopDisplay()
  return await finishRun(run, decision, { plan, resumed, reports, look, journal })
}

/** `Apply 5 changes to 2 hosts?` */
function questionAbout({ summary, hosts }: ApprovedPlan): string {
  const { changes } = summary
  if (changes === 0) return 'Settle unconfirmed changes of earlier runs?'
  const changed = hosts.filter(({ actions }) => actions.some(({ kind }) => kind !== 'noop')).length
  return `Apply ${changes} ${changes === 1 ? 'change' : 'changes'} to ${changed} ${changed === 1 ? 'host' : 'hosts'}?`
}

/** Even without changes, the run may roll back a server that an earlier run left unconfirmed. */
function mayInterrupt({ summary, hosts }: ApprovedPlan): boolean {
  return summary.changes > 0 || hosts.some(({ bookkeeping = [] }) => bookkeeping.some(({ interrupts }) => interrupts === true))
}

function journalOf(run: ActingRun, { identity, source }: Decision, { plan, request }: PlannedRun): Promise<RunJournal> {
  const { resumes } = source
  return beginJournal(run.context, {
    ...identity,
    verb: verbOf(source),
    ...defined({ continues: resumes?.run.begun.run_id, shard: run.open.shard?.shard }),
    selection: selectionOf(run, source, request),
    approvals: request.approvals,
    plan,
  })
}

/** Never throws: what was done must be reported in any case. */
async function lookAgain(
  run: ActingRun,
  { lockTimeoutMs }: Decision,
  { decided, reports }: { readonly decided: PlannedRun; readonly reports: readonly HostReport[] },
): Promise<SecondLook> {
  const { request, before, resumed } = decided
  const waited = lockTimeoutMs !== undefined
  return secondPlan(run, { request, before, left: resumed?.left ?? [], waited }, reports).catch((error: unknown) => {
    noteBug(run.context, error, 'The second plan could not be made because of it; the report of what was done follows.')
    return { failures: [hostBug('all hosts', error).toProblem()] }
  })
}

function show(
  { context, flags }: ActingRun,
  plan: ApprovedPlan,
  { resumed, named }: { readonly resumed: ResumedRun | undefined; readonly named: boolean },
): void {
  const { err } = context
  const { paint } = err
  const first = resumed === undefined ? '' : `${renderResumed(resumed, paint)}\n\n`
  const text = `${first}${wholeOrPart(context, () => renderPlan(plan, { paint, verbose: flags.verbose === true, named, steps: flags.steps === true }))}`
  err.writeProse(text)
}

/** The selection of the run, so that `resume` can repeat it. */
function selectionOf(
  { flags }: ActingRun,
  { playbook, asks, saved, resumes, upgrade }: PlanSource,
  { plays, ...limits }: PlanRequest,
): RunSelection {
  const path = saved === undefined ? playbook : saved.plan.saved.playbook?.path
  const followed = path === undefined ? undefined : { path: resolve(path), digest: digestOfPlays(plays) }
  // The approvals are part of the playbook, and a resumed run does not use them.
  const given = resumes === undefined ? followed : resumes.run.begun.selection.playbook
  return {
    ...defined({ limit: flags.limit, hosts: flags.hosts }),
    services: flags.service ?? [],
    ...defined({ playbook: given, upgrade: upgrade && notedRollout(upgrade.rollout) }),
    ...noted(limits),
    ...(asks === undefined ? {} : { operations: journalledOperations(asks.operations) }),
  }
}

/** Nothing was sent to the host. */
function isUntouched({ actions }: HostReport): boolean {
  return actions.every(({ status }) => status === 'not-run')
}
