import { type ExitCode, exitCodes, worstOf } from '../context/exit-code.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { defined } from '../lib/defined.ts'
import type { ApprovedPlan } from '../model/plan.ts'
import type { HostReport, ResumedRun, RunReport, RunVerb } from '../model/report.ts'
import { withoutSteps } from '../plan/without-steps.ts'
import { renderProblem } from '../report/problem-text.ts'
import { runResult } from '../report/run-result.ts'
import { lockLost } from '../state/controller-lock.ts'
import type { RunJournal } from '../state/run-journal.ts'
import { applyExit } from './apply-exit.ts'
import { conclude } from './conclude.ts'
import type { Decision } from './decide.ts'
import type { PlanSource } from './plan-only.ts'
import type { Run } from './run.ts'
import type { SecondLook } from './second-plan.ts'
import { unseenExit } from './unseen-exit.ts'

/** The outcome of a decided run. */
export interface Outcome {
  readonly plan: ApprovedPlan
  readonly resumed: ResumedRun | undefined
  readonly reports: readonly HostReport[]
  readonly look: SecondLook
  readonly journal: RunJournal
}

/** Ends the journal and writes the report. Returns the exit code, even if the report could not be written. */
export async function finishRun(run: Run, decision: Decision, outcome: Outcome): Promise<ExitCode> {
  const { context } = run
  const { lock } = decision
  const unfinished = reportOf(run, decision, outcome)
  const exit = exitOf(run, decision, outcome, unfinished)
  if (lock.lost.aborted) printLockLost(run)
  await outcome.journal.end(exit, unfinished.second_plan?.actions)
  const report: RunReport = { ...unfinished, exit_code: exit }
  try {
    await conclude(run, runResult(report), { verb: report.verb, run_id: report.run_id, exit })
  } catch (error) {
    // The hosts were changed, so the exit code reports that, not the output error.
    if (!(error instanceof ConvergeError)) throw error
    context.err.writeProse(`${renderProblem(error.toProblem(), context.err.paint)}\n`)
  }
  return exit
}

/** The verb of the command line. */
export function verbOf({ resumes, asks }: PlanSource): RunVerb {
  return resumes === undefined ? (asks?.verb ?? 'apply') : 'resume'
}

function reportOf(
  { context }: Run,
  { identity, source }: Decision,
  { plan, resumed, reports, look }: Outcome,
): Omit<RunReport, 'exit_code'> {
  return {
    schema: 'converge/report/v1',
    verb: verbOf(source),
    run_id: identity.run_id,
    started_at: identity.started,
    finished_at: context.now().toISOString(),
    plan: withoutSteps(plan),
    ...defined({ resumed }),
    hosts: reports,
    ...defined({ second_plan: look.document }),
  }
}

function exitOf(
  { context }: Run,
  { lock, lockTimeoutMs, source }: Decision,
  { plan, reports, look }: Outcome,
  report: Pick<RunReport, 'hosts' | 'second_plan'>,
): ExitCode {
  const done = context.signal.aborted ? exitCodes.interrupted : applyExit(report, plan, lockTimeoutMs !== undefined)
  const bug = (look.failures ?? []).some((problem) => unseenExit(problem) === exitCodes.bug)
  return worstOf([
    done,
    ...(lock.lost.aborted ? [exitCodes.locked] : []),
    ...(bug ? [exitCodes.bug] : []),
    ...(source.saved !== undefined && reports.some(wentStale) ? [exitCodes.planStale] : []),
  ])
}

function printLockLost({ context: { err }, open }: Run): void {
  err.writeProse(`${renderProblem(lockLost(open.fleet.path).toProblem(), err.paint)}\n`)
}

/** The host changed between planning and locking, so part of the plan was not done. */
function wentStale({ actions }: HostReport): boolean {
  return actions.some(({ status, problem }) => status === 'not-run' && problem?.code === 'APPLY.STALE')
}
