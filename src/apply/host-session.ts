import { defined } from '../lib/defined.ts'
import { hostItself } from '../model/action.ts'
import { mustWork } from '../model/must-work.ts'
import type { VerifyLevel } from '../model/playbook.ts'
import { failedLater, type HostReport, type SmokeResult } from '../model/report.ts'
import { type Claim, claimPlan, releaseClaim } from './claim-plan.ts'
import { adoptGuard, createHostGuard, type HostGuard } from './host-guard.ts'
import { isHostOk, nothingRun } from './host-report.ts'
import type { HostTask, RunContext } from './host-task.ts'
import type { HostLock } from './lock.ts'
import type { HostContext, ReadyAction } from './prepared-action.ts'
import { createProofs, type Proofs } from './proofs.ts'
import { remember } from './remember.ts'
import { createReplacement, type Replacement } from './replacement.ts'
import type { TimerRef } from './rollback-timer.ts'
import { type ActionsOutcome, runActions } from './run-actions.ts'
import { confirmAdopted, forgetReported, notedUnder, settleTimers } from './settle-timers.ts'
import type { StepJournal } from './step-journal.ts'
import { createStopwatch, type Stopwatch } from './stopwatch.ts'

/** What one run does on one host while it holds the lock there. */
export interface Session {
  readonly task: HostTask
  readonly level: VerifyLevel
  readonly run: RunContext
  readonly context: HostContext
  readonly watch: Stopwatch
  readonly proofs: Proofs
  /** Timers of an earlier run that stay armed, by service. */
  readonly adopted: Map<string, TimerRef>
}

export function openSession(
  task: HostTask,
  level: VerifyLevel,
  run: RunContext,
  { lock, journal }: { readonly lock: HostLock; readonly journal: StepJournal },
): Session {
  const { host, transport } = task
  const { clock, nonce, signal, force } = run
  const watch = createStopwatch()
  const emit: RunContext['emit'] = (event) => {
    watch.hear(event, clock.now())
    run.emit(event)
  }
  const proofs = createProofs(task, level, { run: { clock, emit, signal }, watch })
  const adopted = new Map<string, TimerRef>()
  const context: HostContext = {
    host,
    transport,
    clock,
    emit,
    nonce,
    signal,
    force,
    fence: lock.fence,
    watch: lock.watch,
    journal,
    replacing: ({ action: { service } }) => replacementOf(host, service, proofs),
    guarding: (ready) => guardOf(task, run, { ready, earlier: adopted.get(ready.action.service) }),
    adopts: (service) => adopted.has(service),
  }
  return { task, level, run, context, watch, proofs, adopted }
}

/**
 * Settles timers of earlier runs, claims the saved plan, acts, proves, confirms, records. Services not proved right after their
 * action are proved here.
 */
export async function runSession(session: Session): Promise<HostReport> {
  const { task, context, proofs, adopted } = session
  const settling = await settleTimers(task, context, (service) => proofs.ask(service))
  if (settling.problem !== undefined) return nothingRun(task, 'an earlier change on the host is unconfirmed', settling.problem)
  for (const [service, place] of settling.adopted) adopted.set(service, place)
  proofs.note(settling.proved.filter(({ service }) => !task.actions.some((action) => action.service === service)))
  const claim = claimOf(session)
  const refused = claim === undefined ? undefined : await claimPlan(task.root, claim, notedUnder(hostItself, context))
  if (refused !== undefined) return nothingRun(task, 'the saved plan cannot be applied here', refused)
  const acted = await runActions(task, context)
  if (claim !== undefined && acted.results.every(({ status }) => status === 'not-run')) await releaseUnused(session, claim)
  const settled = settledServices(acted)
  const smoke = await proveRest(session, acted, settled)
  const proved = new Set(smoke.filter(({ ok }) => ok).map(({ service }) => service))
  const problem =
    acted.problem ??
    (await confirmAdopted(task, settling, { context, proved })) ??
    (await remember(task, settled.filter(hasProof(session, smoke)), session))
  const report = { host: task.host, reachable: true, actions: acted.results, smoke, ...defined({ problem }) }
  if (isHostOk(report)) await forgetReported(task, context)
  return report
}

function replacementOf(host: string, service: string, proofs: Proofs): Replacement {
  return createReplacement({ host, service, ...(proofs.areRequired ? { prove: () => proofs.proveNow(service) } : {}) })
}

function guardOf(
  { host, root, timers }: HostTask,
  run: RunContext,
  { ready, earlier }: { readonly ready: ReadyAction; readonly earlier: TimerRef | undefined },
): HostGuard | undefined {
  if (timers === undefined) return undefined
  const { steps, undo } = ready.group
  const order = { ...run, host, root, service: ready.action.service, reconnect: timers.reconnect }
  return earlier === undefined
    ? createHostGuard({ ...order, id: run.nonce(), steps, undo })
    : adoptGuard({ ...order, ...earlier })
}

function claimOf({ task: { savedPlan, host }, run: { runId } }: Session): Claim | undefined {
  return savedPlan === undefined ? undefined : { id: savedPlan, runId, host }
}

/** Nothing of the plan was done, so it can still be applied. */
async function releaseUnused({ task, context }: Session, claim: Claim): Promise<void> {
  const note = await releaseClaim(task.root, claim, notedUnder(hostItself, context))
  if (note !== undefined) context.emit({ type: 'host-note', host: task.host, note })
}

/** Proves what no action of this run has proved. Services that an earlier run left unproved are proved even at level `none`. */
async function proveRest(
  { task, proofs, adopted }: Session,
  acted: ActionsOutcome,
  settled: readonly ReadyAction[],
): Promise<readonly SmokeResult[]> {
  await proofs.proveRest([...adopted.keys()].filter((service) => isFoundDone(service, task, acted)))
  if (proofs.areRequired) await proofs.proveRest(toProve(task, settled))
  return proofs.results().filter(({ service }) => !wasTakenBack(service, acted))
}

/** Whether a service may be recorded as applied: no proof failed, and every required proof was made. */
function hasProof({ proofs }: Session, smoke: readonly SmokeResult[]): (ready: ReadyAction) => boolean {
  return ({ action: { service, ...action } }) => {
    const starts = mustWork(action)
    const own = smoke.filter((result) => result.service === service)
    return own.every(({ ok }) => ok) && (own.length > 0 || !starts || !proofs.areRequired)
  }
}

/** The verified server no longer runs. */
function wasTakenBack(service: string, { results }: ActionsOutcome): boolean {
  return results.some((result) => failedLater(result) && result.action.split('/')[1] === service)
}

/** An earlier run already started the service that this play was to start, but did not prove it. */
function isFoundDone(service: string, { actions }: HostTask, { results }: ActionsOutcome): boolean {
  const own = new Set(actions.filter((action) => action.service === service).map(({ id }) => id))
  return own.size > 0 && results.filter(({ action }) => own.has(action)).every(({ status }) => status === 'not-needed')
}

/**
 * The last action of every service whose actions were all applied. A setting follows its service, so its result says nothing
 * about the service.
 */
function settledServices({ results, ready }: ActionsOutcome): readonly ReadyAction[] {
  const applied = new Set(results.filter((result) => result.status === 'applied').map((result) => result.action))
  const own = ready.filter((one) => one.action.kind !== 'host-setting')
  const unsettled = new Set(own.filter((one) => !applied.has(one.action.id)).map((one) => one.action.service))
  const last = new Map([...ready, ...own].map((one) => [one.action.service, one]))
  return [...last.values()].filter((one) => !unsettled.has(one.action.service) && applied.has(one.action.id))
}

/** Services that this run started, or that a dead run may have started, unless one of their actions was not done. */
function toProve({ unfinished, actions }: HostTask, settled: readonly ReadyAction[]): readonly string[] {
  const started = settled.filter(({ action }) => mustWork(action)).map(({ action }) => action.service)
  const done = new Set(settled.map(({ action }) => action.service))
  const touched = new Set(actions.map(({ service }) => service))
  const left = (unfinished?.prove ?? []).filter((name) => done.has(name) || !touched.has(name))
  return [...new Set([...started, ...left])]
}
