import { realpath } from 'node:fs/promises'
import { hostname, userInfo } from 'node:os'
import { type RolloutHost, type RolloutPlay, rollOut } from '../apply/rollout.ts'
import type { RunContext } from '../apply/run-host.ts'
import { ConvergeError, InternalError } from '../errors/converge-error.ts'
import { shellQuote } from '../lib/shell-quote.ts'
import type { Emit } from '../model/event.ts'
import type { ApprovedPlan, Plan } from '../model/plan.ts'
import type { Consent } from '../model/playbook.ts'
import type { HostReport, RunReport } from '../model/report.ts'
import { approve } from '../policy/approve.ts'
import { renderPlan } from '../report/plan-text.ts'
import { renderProblem } from '../report/problem-text.ts'
import { renderRun } from '../report/run-text.ts'
import type { ActingRun } from './acting-run.ts'
import { applyExit, busyHosts } from './apply-exit.ts'
import { ask } from './ask.ts'
import { lockInventory, lockLost } from './controller-lock.ts'
import { deliver, stdoutFormat } from './deliver.ts'
import { type ExitCode, exitCodes, worstOf } from './exit-code.ts'
import { foldText, terminalWidth } from './fold-text.ts'
import { createHostTask } from './host-task.ts'
import { allConsents, hostsOf, makePlan, ownersOf, type PlanRequest } from './make-plan.ts'
import type { Observation } from './observe-fleet.ts'
import { type PlanSource, planExit, planRequest } from './plan-only.ts'
import type { SelectedPlay } from './plays.ts'
import { beginJournal, type RunJournal } from './run-journal.ts'
import { mustStillHold, type PlanFile } from './saved-plan.ts'
import { mustBeUnused, usePlan } from './used-plans.ts'
import { version } from './version.ts'

export interface ApplyRequest extends PlanSource {
  /** `-y`: do not ask. */
  readonly confirmed: boolean
  /** How long to wait for another run; absent: not at all. */
  readonly lockTimeoutMs?: number
}

/** Looks, plans, asks, does, proves, and looks again: a second plan has to be empty. */
export async function applyRun(run: ActingRun, { confirmed, lockTimeoutMs, ...source }: ApplyRequest): Promise<ExitCode> {
  const { context } = run
  const started = context.now().toISOString()
  const runId = `${started.replace(/[-:]|\.\d+/g, '')}-${context.random(3)}`
  mustBeAbleToAsk(run, confirmed)
  const { saved } = source
  if (saved !== undefined) await mustBeUnused(context, saved)
  const request = await planRequest(run, source)
  const who = { owner: userInfo().username, controller: hostname(), pid: process.pid }
  const inventory = await realpath(run.open.fleet.path)
  await using lock = await lockInventory(context, {
    inventory,
    holder: { ...who, run_id: runId },
    say: (text) => context.err.write(text),
    ...(lockTimeoutMs === undefined ? {} : { lockTimeoutMs }),
  })
  const facts = await run.observe(hostsOf(run, request.plays), { keep: true, phase: 'gather' })
  const plan = approve(...withLeave(makePlan(run, request, facts), request))
  await run.stopDisplay()
  if (saved !== undefined) mustStillHold(saved, plan)
  if (stdoutFormat(run.flags) === 'text')
    context.err.write(
      foldText(renderPlan(plan, { paint: context.err.paint, verbose: run.flags.verbose === true }), terminalWidth(context.err)),
    )
  const answer = plan.summary.changes === 0 || confirmed ? 'yes' : await ask(context, 'Do this?')
  if (answer !== 'yes') {
    context.err.write('\nNothing was done.\n')
    return answer === 'interrupted' ? exitCodes.interrupted : planExit(plan, false)
  }
  const giveBack = saved === undefined || plan.summary.changes === 0 ? undefined : await usePlan(context, saved, runId)
  await using journal = await beginJournal(context, {
    run_id: runId,
    verb: 'apply',
    ...who,
    flags: run.flags,
    playbook: saved === undefined ? source.playbook : saved.plan.saved.playbook?.path,
    consents: request.consents,
    plan,
  })
  const signal = AbortSignal.any([context.signal, lock.lost])
  const reports = await rollOutPlays(run, {
    runId,
    ...who,
    request,
    facts,
    plan,
    journal,
    signal,
    ...(lockTimeoutMs === undefined ? {} : { lockTimeoutMs }),
    ...(saved === undefined ? {} : { saved }),
  })
  if (reports.every(isUntouched)) await giveBack?.()
  const waited = lockTimeoutMs !== undefined
  const second = await secondPlan(run, { request, plan, waited }, reports)
  await run.stopDisplay()
  const unfinished = {
    schema: 'converge/report/v1',
    verb: 'apply',
    run_id: runId,
    started_at: started,
    finished_at: context.now().toISOString(),
    plan,
    hosts: reports,
    ...(second === undefined ? {} : { second_plan: second }),
  } as const
  const done = context.signal.aborted ? exitCodes.interrupted : applyExit(unfinished, plan, waited)
  const exit = lock.lost.aborted ? worstOf([done, exitCodes.locked]) : done
  if (lock.lost.aborted) context.err.write(`${renderProblem(lockLost(inventory).toProblem(), context.err.paint)}\n`)
  await journal.end(exit, second?.actions)
  const report: RunReport = { ...unfinished, exit_code: exit }
  try {
    await deliver(context, run.flags, { document: report, text: (paint) => renderRun(report, paint), prose: true })
  } catch (error) {
    // The hosts were changed: how that went is what the exit code tells.
    if (!(error instanceof ConvergeError)) throw error
    context.err.write(`${renderProblem(error.toProblem(), context.err.paint)}\n`)
  }
  return exit
}

function withLeave(plan: Plan, request: PlanRequest): [Plan, { consents: readonly Consent[]; now: string }] {
  return [plan, { consents: allConsents(request), now: plan.created_at }]
}

function mustBeAbleToAsk({ context, flags }: ActingRun, confirmed: boolean): void {
  if (confirmed || (context.stdin.isTTY && context.err.isTerminal && stdoutFormat(flags) !== 'json')) return
  throw new ConvergeError('USAGE.CONFIRM', {
    summary: 'There is no terminal to ask on.',
    why: '`converge apply` asks before it does anything. Here nobody could answer, so nothing was looked at or done.',
    next: [
      `See what it would do:  ${shellQuote(['converge', 'plan', ...context.argv.slice(1)])}`,
      `Do it without the question; refusals stay refused:  ${shellQuote(['converge', ...context.argv, '-y'])}`,
    ],
  })
}

/** Nothing was sent there. */
function isUntouched({ actions }: HostReport): boolean {
  return actions.every(({ status }) => status === 'not-run')
}

interface Work extends Pick<RunContext, 'runId' | 'owner' | 'controller' | 'pid' | 'signal' | 'lockTimeoutMs'> {
  readonly saved?: PlanFile
  readonly journal: RunJournal
  readonly request: PlanRequest
  readonly facts: Observation
  readonly plan: ApprovedPlan
}

async function rollOutPlays(run: ActingRun, work: Work): Promise<readonly HostReport[]> {
  const { context } = run
  const { runId, owner, controller, pid, journal, signal, lockTimeoutMs } = work
  const emit: Emit = (event) => {
    journal.hear(event)
    run.emit(event)
  }
  const runContext: RunContext = {
    runId,
    version,
    owner,
    controller,
    pid,
    clock: context.clock,
    emit,
    journal,
    nonce: () => context.random(16),
    signal,
    force: context.force,
    ...(lockTimeoutMs === undefined ? {} : { lockTimeoutMs }),
  }
  const changing = work.plan.hosts.filter((host) => host.actions.some(({ kind }) => kind !== 'noop')).map((host) => host.host)
  if (changing.length > 0) run.emit({ type: 'phase', phase: 'apply', hosts: changing })
  const owners = ownersOf(run, work.request.plays)
  const plays: RolloutPlay[] = []
  for (const selected of work.request.plays) plays.push(await rolloutPlay(run, work, selected, owners))
  return rollOut(plays, { forks: run.flags.forks, run: runContext })
}

async function rolloutPlay(
  run: ActingRun,
  work: Work,
  selected: SelectedPlay,
  owners: ReadonlyMap<string, SelectedPlay>,
): Promise<RolloutPlay> {
  const owns = (host: string, service: string) => owners.get(`${host}/${service}`) === selected
  const hosts: RolloutHost[] = []
  for (const name of selected.hosts) hosts.push(await rolloutHost(run, work, { name, play: selected }, owns))
  const { name, serial, maxFailPercentage, verify } = selected.play
  return { name, hosts, maxFailPercentage, verify, ...(serial === undefined ? {} : { serial }) }
}

async function rolloutHost(
  run: ActingRun,
  work: Work,
  { name, play }: { readonly name: string; readonly play: SelectedPlay },
  owns: (host: string, service: string) => boolean,
): Promise<RolloutHost> {
  const plan = work.plan.hosts.find((one) => one.host === name)
  const host = run.open.hosts.find((one) => one.name === name)
  const facts = work.facts.get(name)
  if (plan === undefined || host === undefined || facts === undefined) throw new InternalError(`${name} was not planned`)
  if (!('salt' in facts)) return { host: name, unreachable: facts }
  const { runId, request, saved, lockTimeoutMs } = work
  const actions = plan.actions.filter(({ kind, service }) => kind !== 'noop' && owns(name, service))
  const task = await createHostTask({
    run,
    runId,
    request,
    play,
    host,
    facts,
    plan,
    actions,
    waits: lockTimeoutMs !== undefined,
    owns: (service) => owns(name, service),
  })
  return saved === undefined || actions.length === 0 ? task : { ...task, savedPlan: saved.plan.saved.id }
}

/** Where everything was done and proved, nothing may be left to do. Undefined: there is no such host. */
async function secondPlan(
  run: ActingRun,
  { request, plan: first, waited }: { readonly request: PlanRequest; readonly plan: Plan; readonly waited: boolean },
  reports: readonly HostReport[],
): Promise<RunReport['second_plan']> {
  // Where another run was waited for, the first plan was made beside it.
  const busy = waited ? busyHosts(first) : new Set()
  const done = reports.filter(
    (report) =>
      report.reachable &&
      report.problem === undefined &&
      (report.actions.length > 0 || busy.has(report.host)) &&
      report.actions.every((result) => result.status === 'applied' || result.status === 'not-needed') &&
      report.smoke.every((smoke) => smoke.ok),
  )
  if (done.length === 0 || run.context.signal.aborted) return undefined
  const hosts = done.map((report) => report.host)
  const facts = await run.observe(hosts, { keep: true, phase: 'second-plan' }).catch((error: unknown) => {
    // What was done is told, whatever comes in between now.
    if (run.context.signal.aborted) return undefined
    throw error
  })
  if (facts === undefined) return undefined
  const found = leftToDo(makePlan(run, request, facts), first)
  return { changes: found.length, actions: found }
}

/** What a second plan would still do, and what it cannot tell any more: unknown is not empty. */
function leftToDo(second: Plan, first: Plan): readonly string[] {
  const refusedBefore = new Set(
    first.hosts.flatMap((host) => host.refusals.map((one) => `${host.host}/${one.service ?? ''} ${one.code}`)),
  )
  return second.hosts.flatMap((host) => [
    ...(host.reachable ? [] : [`${host.host} (could not be looked at again)`]),
    ...host.actions.filter((action) => action.kind !== 'noop').map((action) => action.id),
    ...host.refusals.map((one) => `${host.host}/${one.service ?? ''} ${one.code}`).filter((id) => !refusedBefore.has(id)),
  ])
}
