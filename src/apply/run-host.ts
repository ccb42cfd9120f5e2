import { ConvergeError } from '../errors/converge-error.ts'
import { defined } from '../lib/defined.ts'
import { type Action, hostItself } from '../model/action.ts'
import type { Emit } from '../model/event.ts'
import type { ConsentUsed } from '../model/journal.ts'
import type { Problem } from '../model/plan.ts'
import type { VerifyLevel } from '../model/playbook.ts'
import type { ActionResult, HostReport, SmokeResult } from '../model/report.ts'
import type { Clock } from '../time/clock.ts'
import type { Transport } from '../transports/transport.ts'
import { claimPlan, giveBackPlan } from './claim-plan.ts'
import type { TimerPlace } from './deadman.ts'
import { adoptGuard, createHostGuard, type HostGuard } from './host-guard.ts'
import type { Journal } from './journal.ts'
import type { HostLock } from './lock.ts'
import type { HostContext, PreparedAction, ReadyAction } from './prepared-action.ts'
import { type ProvingGround, proveServices } from './prove-services.ts'
import { remember } from './remember.ts'
import { createReplacement, type Replacement } from './replacement.ts'
import { type ActedOn, interruptedBefore, notRun, problemOf, runActions } from './run-actions.ts'
import { confirmAdopted, forgetTold, type GuardedHost, notedUnder, settleTimers } from './settle-timers.ts'
import { createStepJournal, type LastWords, type StepJournal } from './step-journal.ts'
import { createStopwatch } from './stopwatch.ts'
import { waitForLock } from './wait-for-lock.ts'

/** One host's share of an approved plan, and how the stages before and after are reached. */
export interface HostTask extends ProvingGround, GuardedHost {
  readonly transport: Transport
  /** Converge's folder on the host, absolute. */
  readonly root: string
  /** Approved, in the order of the plan, without `noop`. */
  readonly actions: readonly Action[]
  /** A run did not come to its end on the host: what it may not have proved is proved. Or it is at work and is waited for. */
  readonly unfinished?: Unfinished
  /** Those that the plan of the host was approved with; absent: none. */
  readonly consents?: readonly ConsentUsed[]
  /** The saved plan that this is: applied on a host once. */
  readonly savedPlan?: string
  /**
   * Looks at the host again and plans again: for each of these actions its steps, or why it no longer holds. Called with the
   * lock held, and once more after a failure, because what was safe then may not be safe now. Throws `ConvergeError`.
   */
  prepare(remaining: readonly Action[]): Promise<readonly PreparedAction[]>
}

export interface Unfinished {
  /** Services that are wanted running. */
  readonly prove: readonly string[]
  /** Services of which the log on the host tells that nobody knows how they were left; some of them are among those to prove. */
  readonly left: readonly string[]
}

/** The run that all hosts belong to. */
export interface RunContext {
  readonly runId: string
  /** The version of converge. */
  readonly version: string
  /** Who runs converge, and where. */
  readonly owner: string
  readonly controller: string
  readonly pid: number
  readonly clock: Clock
  readonly emit: Emit
  readonly journal: Journal
  /** Unguessable letters and digits, new at every call. */
  readonly nonce: () => string
  /** Aborted by the first interrupt: nothing new is begun. */
  readonly signal: AbortSignal
  /** Aborted by the second: what is in flight on the host is ended, and nothing is put back. */
  readonly force: AbortSignal
  /** Whether the run of a lock's owner line is proved to be over; absent: that is never proved. */
  readonly isProvedDead?: (owner: string) => Promise<boolean>
  /** How long the lock of a host is waited for; absent: not at all. */
  readonly lockTimeoutMs?: number
}

/**
 * Lock, look again, act, prove, remember, unlock; nothing at all for a host without work. Never throws for what happens on the host: it is in the report.
 */
export async function runHost(task: HostTask, level: VerifyLevel, run: RunContext): Promise<HostReport> {
  if (!hasWork(task)) return { host: task.host, reachable: true, actions: [], smoke: [] }
  run.emit({ type: 'host-started', host: task.host })
  const report = await underLock(task, level, run)
  const ok = isHostOk(report)
  const problem = report.problem ?? report.actions.find((result) => result.problem !== undefined)?.problem
  run.emit({ type: 'host-finished', host: task.host, ok, note: noteOf(report), ...defined({ problem }) })
  return report
}

export function hasWork({ actions, unfinished }: HostTask): boolean {
  return actions.length > 0 || unfinished !== undefined
}

/** Whether everything that was to be done on the host was done and proved. */
export function isHostOk(report: HostReport): boolean {
  const actionsOk = report.actions.every(({ status }) => status !== 'failed' && status !== 'not-run')
  return report.reachable && report.problem === undefined && actionsOk && report.smoke.every((smoke) => smoke.ok)
}

async function underLock(task: HostTask, level: VerifyLevel, run: RunContext): Promise<HostReport> {
  const { host, transport, root } = task
  if (run.signal.aborted) return nothingRun(task, interruptedBefore)
  let lock: HostLock
  try {
    const say = (note: string) => run.emit({ type: 'host-note', host, note })
    lock = await waitForLock({ ...run, transport, root, token: run.nonce() }, { timeoutMs: run.lockTimeoutMs ?? 0, say })
  } catch (error) {
    if (run.signal.aborted && !(error instanceof ConvergeError)) return nothingRun(task, interruptedBefore)
    return nothingRun(task, 'there was no lock to be had on the host', problemOf(host, error))
  }
  if (lock.note !== undefined) run.emit({ type: 'host-note', host, note: lock.note })
  let last: LastWords | undefined
  try {
    const journal = journalOn(task, run, lock)
    const report = await actAndProve(task, level, run, { lock, journal })
    last = journal.lastWords([...settledAtLast(task, report), ...provedNow(report)], wasCutOff(report) ? 'cut-off' : 'over')
    return report
  } finally {
    // No failure of the run: a lock that could not be given back dies by itself.
    const problem = await lock.release(last)
    if (problem !== undefined) run.emit({ type: 'host-note', host, note: `${problem.summary} ${problem.why}` })
  }
}

function journalOn({ host, root, consents = [] }: HostTask, run: RunContext, { note }: HostLock): StepJournal {
  const { runId, version, owner, controller } = run
  const takenOver = defined({ takenOver: note })
  return createStepJournal(run.journal, { runId, version, owner, controller, host, root, ...takenOver, consents })
}

/** What the next run need not prove again, where it has to prove the rest. */
function provedNow(report: HostReport): readonly string[] {
  return wasCutOff(report) ? report.smoke.filter(({ ok }) => ok).map(({ service }) => service) : []
}

/** An interrupt came before a proof, or in its middle. */
function wasCutOff({ smoke }: HostReport): boolean {
  return smoke.some(({ ok, checks }) => !ok && checks.every((check) => check.ok || check.skipped !== undefined))
}

/** What an earlier run left, and this one found or brought in order: nothing of it failed, and what is to run was proved. */
function settledAtLast({ unfinished, actions }: HostTask, report: HostReport): readonly string[] {
  const proved = new Set(report.smoke.filter(({ ok }) => ok).map(({ service }) => service))
  const undone = new Set(
    report.actions.filter(({ status }) => status !== 'applied' && status !== 'not-needed').map(({ action }) => action),
  )
  const failed = new Set(actions.filter(({ id }) => undone.has(id)).map(({ service }) => service))
  const { left, prove } = unfinished ?? { left: [], prove: [] }
  return left.filter((service) => !failed.has(service) && (proved.has(service) || !prove.includes(service)))
}

async function actAndProve(
  task: HostTask,
  level: VerifyLevel,
  run: RunContext,
  { lock, journal }: { readonly lock: HostLock; readonly journal: StepJournal },
): Promise<HostReport> {
  const { host, transport } = task
  const { clock, emit, nonce, signal, force } = run
  const early: SmokeResult[] = []
  const watch = createStopwatch()
  const timed: RunContext = {
    ...run,
    emit: (event) => {
      watch.hear(event, clock.now())
      emit(event)
    },
  }
  const replacing = ({ action: { service } }: ReadyAction): Replacement => {
    const prove = async (by: Exclude<VerifyLevel, 'none'>) => {
      const [result] = await proveServices(task, by, [service], { run: timed, watch })
      if (result !== undefined) early.push(result)
      return result
    }
    return createReplacement({ host, service, ...(level === 'none' ? {} : { prove: () => prove(level) }) })
  }
  const adopted = new Map<string, TimerPlace>()
  const guarding = ({ action: { service }, group: { steps, undo } }: ReadyAction): HostGuard | undefined => {
    const { timers } = task
    if (timers === undefined) return undefined
    const order = { ...run, host, root: task.root, service, reconnect: timers.reconnect }
    const earlier = adopted.get(service)
    return earlier === undefined ? createHostGuard({ ...order, id: nonce(), steps, undo }) : adoptGuard({ ...order, ...earlier })
  }
  const context: HostContext = {
    host,
    transport,
    clock,
    emit: timed.emit,
    nonce,
    signal,
    force,
    fence: lock.fence,
    watch: lock.watch,
    journal,
    replacing,
    guarding,
    adopts: (service) => adopted.has(service),
  }
  const proveLeft = (services: readonly string[]) =>
    proveServices(task, level === 'none' ? 'smoke' : level, services, { run: timed, watch })
  const settling = await settleTimers(task, context, async (service) => {
    const [result] = await proveLeft([service])
    return result
  })
  if (settling.problem !== undefined) return nothingRun(task, 'something there waits to be confirmed', settling.problem)
  for (const [service, place] of settling.adopted) adopted.set(service, place)
  early.push(...settling.proved.filter(({ service }) => !task.actions.some((action) => action.service === service)))
  const claim = task.savedPlan === undefined ? undefined : { id: task.savedPlan, runId: run.runId, host }
  const noted = notedUnder(hostItself, context)
  const refused = claim === undefined ? undefined : await claimPlan(task.root, claim, noted)
  if (refused !== undefined) return nothingRun(task, 'the saved plan is not applied here', refused)
  const acted = await runActions(task, context)
  if (claim !== undefined && acted.results.every(({ status }) => status === 'not-run')) {
    const note = await giveBackPlan(task.root, claim, noted)
    if (note !== undefined) emit({ type: 'host-note', host, note })
  }
  const settled = settledServices(acted)
  const left = await proveLeft([...adopted.keys()].filter((service) => isFoundDone(service, task, acted)))
  early.push(...left)
  const unasked = toProve(task, settled).filter((service) => !early.some((result) => result.service === service))
  const stands = early.filter(({ service }) => !wasTakenBack(service, acted))
  const smoke = level === 'none' ? left : [...stands, ...(await proveServices(task, level, unasked, { run: timed, watch }))]
  const unproved = new Set(smoke.filter((result) => !result.ok).map((result) => result.service))
  const waiting = level === 'none' ? [] : settled.filter((ready) => ready.action.starts && !smoke.some(isAbout(ready)))
  const provedOnes = settled.filter((ready) => !unproved.has(ready.action.service) && !waiting.includes(ready))
  const proved = new Set(smoke.filter(({ ok }) => ok).map(({ service }) => service))
  const problem =
    acted.problem ??
    (await confirmAdopted(task, settling, { context, proved })) ??
    (await remember(task, provedOnes, { context, watch }))
  const report = { host, reachable: true, actions: acted.results, smoke, ...defined({ problem }) }
  if (isHostOk(report)) await forgetTold(task, context)
  return report
}

/** What was proved of it is not there any more. */
function wasTakenBack(service: string, { results }: ActedOn): boolean {
  return results.some(({ action, problem }) => problem?.code === 'APPLY.TAKEN_BACK' && action.split('/')[1] === service)
}

/** Nothing of it had to be done any more: an earlier run had come as far, but not to its proof. */
function isFoundDone(service: string, { actions }: HostTask, { results }: ActedOn): boolean {
  const own = new Set(actions.filter((action) => action.service === service).map(({ id }) => id))
  return results.filter(({ action }) => own.has(action)).every(({ status }) => status === 'not-needed')
}

function isAbout(ready: ReadyAction): (smoke: SmokeResult) => boolean {
  return (smoke) => smoke.service === ready.action.service
}

/**
 * The last action of every service whose actions were all applied. A setting comes after what it is for and says nothing of it, be it
 * that it was done or that it failed.
 */
function settledServices({ results, ready }: ActedOn): readonly ReadyAction[] {
  const applied = new Set(results.filter((result) => result.status === 'applied').map((result) => result.action))
  const own = ready.filter((one) => one.action.kind !== 'host-setting')
  const unsettled = new Set(own.filter((one) => !applied.has(one.action.id)).map((one) => one.action.service))
  const last = new Map([...ready, ...own].map((one) => [one.action.service, one]))
  return [...last.values()].filter((one) => !unsettled.has(one.action.service) && applied.has(one.action.id))
}

/** What was started by this run, and what a run that died may have started; nothing of which an action was not done. */
function toProve({ unfinished, actions }: HostTask, settled: readonly ReadyAction[]): readonly string[] {
  const started = settled.filter(({ action }) => action.starts).map(({ action }) => action.service)
  const done = new Set(settled.map(({ action }) => action.service))
  const touched = new Set(actions.map(({ service }) => service))
  const left = (unfinished?.prove ?? []).filter((name) => done.has(name) || !touched.has(name))
  return [...new Set([...started, ...left])]
}

function nothingRun(task: HostTask, left: string, problem?: Problem): HostReport {
  const report = { host: task.host, reachable: true, actions: task.actions.map((action) => notRun(action, left)), smoke: [] }
  return problem === undefined ? report : { ...report, problem }
}

function wasSeenToFail({ checks }: SmokeResult): boolean {
  return checks.some((check) => !check.ok && check.skipped === undefined)
}

function noteOf(report: HostReport): string {
  const count = (status: ActionResult['status']) => report.actions.filter((result) => result.status === status).length
  const parts = [
    ...(count('applied') > 0 ? [`${count('applied')} applied`] : []),
    ...(count('failed') > 0 ? [`${count('failed')} failed`] : []),
    ...(count('not-run') > 0 ? [`${count('not-run')} not run`] : []),
    ...report.smoke
      .filter((smoke) => !smoke.ok)
      .map((smoke) => `${smoke.service} ${wasSeenToFail(smoke) ? 'does not work' : 'was not proved'}`),
  ]
  return parts.join(', ')
}
