import { ConvergeError } from '../errors/converge-error.ts'
import { hostItself } from '../model/action.ts'
import type { Observed } from '../model/observed.ts'
import type { Problem } from '../model/plan.ts'
import type { SmokeResult } from '../model/report.ts'
import type { RollbackTimer } from '../model/rollback-timer.ts'
import type { Transport } from '../transports/transport.ts'
import { describeFailure, planAgain } from './describe-failure.ts'
import type { HostContext } from './prepared-action.ts'
import {
  actNowStep,
  type DisarmResult,
  disarmOverNewConnection,
  forgetTimersStep,
  noTimerArmed,
  type TimerRef,
  waitForTimer,
} from './rollback-timer.ts'
import { problemOf } from './run-actions.ts'
import { askChecks, runStep } from './run-step.ts'

/** A host that rolls back unconfirmed changes. */
export interface GuardedHost {
  readonly host: string
  /** Converge's folder on the host, absolute. */
  readonly root: string
  /** Absent: no timers are used or looked for. */
  readonly timers?: Timers
}

export interface Timers {
  /** A new connection to the host. */
  readonly reconnect: () => Promise<Transport>
  /** The timers on the host now. Throws `ConvergeError`. */
  look(): Promise<Observed<readonly RollbackTimer[]>>
  /** Whether the service can be proved. */
  canProve(service: string): boolean
  /** Whether the approved plan of the host starts the service, in this play or a later one. */
  starts(service: string): boolean
  /** Ids of timers that acted, as the plan reported. */
  readonly reported: readonly string[]
  /** Ids of timers that the plan settles first; absent: any. This run rolls back no other one. */
  readonly shown?: readonly string[]
}

export interface Settlement {
  readonly proved: readonly SmokeResult[]
  /** Timers that stay armed, by service: this run replaces or starts the service again. */
  readonly adopted: ReadonlyMap<string, TimerRef>
  /** Why nothing may be done on the host. */
  readonly problem?: Problem
}

/** Longer than a rollback takes, including its retries. */
const actingMs = 20 * 60_000

/**
 * Settles timers of earlier runs first. An unconfirmed server is proved, and its timer is disarmed only if it works. A service that this
 * run starts again stays guarded until it is proved. The host rolls back everything else now, while this run holds the lock and waits.
 *
 * @param prove returns undefined after an interrupt
 */
export async function settleTimers(
  task: GuardedHost,
  context: HostContext,
  prove: (service: string) => Promise<SmokeResult | undefined>,
): Promise<Settlement> {
  const { timers, root, host } = task
  if (timers === undefined) return nothing
  const waits = await askChecks('check for unconfirmed changes', [noTimerArmed(root)], context)
  if (waits === undefined) return nothing
  try {
    const seen = await timers.look()
    if (!seen.known) return { ...nothing, problem: notKnown(host, seen.detail ?? seen.because) }
    return await settleEach(seen.value.filter(isWaiting), task, timers, { context, prove })
  } catch (error) {
    return { ...nothing, problem: problemOf(host, error) }
  }
}

interface SettleContext {
  readonly context: HostContext
  readonly prove: (service: string) => Promise<SmokeResult | undefined>
}

async function settleEach(
  waiting: readonly RollbackTimer[],
  task: GuardedHost,
  timers: Timers,
  settler: SettleContext,
): Promise<Settlement> {
  const proved: SmokeResult[] = []
  const adopted = new Map<string, TimerRef>()
  for (const timer of waiting) {
    const place = { root: task.root, id: timer.id }
    const mayWork = timer.state === 'armed' && timers.canProve(timer.service)
    if (mayWork && timers.starts(timer.service)) {
      adopted.set(timer.service, place)
      continue
    }
    const settled = await settleOne(timer, { place, mayWork, ...timers }, settler)
    if (settled.problem !== undefined) return { proved, adopted, problem: settled.problem }
    if (settled.proved !== undefined) proved.push(settled.proved)
  }
  return { proved, adopted }
}

/** Confirms a server that works; otherwise the host rolls back. */
async function settleOne(
  timer: RollbackTimer,
  {
    place,
    mayWork,
    reconnect,
    shown,
  }: { readonly place: TimerRef; readonly mayWork: boolean } & Pick<Timers, 'reconnect' | 'shown'>,
  { context, prove }: SettleContext,
): Promise<{ readonly problem?: Problem; readonly proved?: SmokeResult }> {
  const { host, signal } = context
  const result = mayWork ? await prove(timer.service) : undefined
  if (signal?.aborted === true) return { problem: stillArmed(host, timer, 'the run was interrupted') }
  const works = result?.ok === true
  if (!works && !mayRollBack(timer, shown))
    return { problem: stillArmed(host, timer, 'it does not work, and the plan did not show its rollback') }
  const noted = notedUnder(timer.service, context)
  const answer = works ? await disarmOverNewConnection(place, noted, reconnect) : await rollBackNow(place, timer, noted)
  const problem = judge(host, timer, answer)
  if (problem !== undefined) return { problem }
  context.emit({ type: 'host-note', host, note: noteOf(timer, answer) })
  return works && answer.kind === 'off' ? { proved: result } : {}
}

/** An armed timer that was not in the plan is left to the host. */
function mayRollBack({ state, id }: RollbackTimer, shown: Timers['shown']): boolean {
  return state !== 'armed' || shown === undefined || shown.includes(id)
}

function isWaiting({ state }: RollbackTimer): boolean {
  return state === 'armed' || state === 'acting'
}

/** At the end, confirms services that this run was to start and found started, once they are proved. */
export async function confirmAdopted(
  { host, timers }: GuardedHost,
  { adopted }: Settlement,
  { context, proved }: { readonly context: HostContext; readonly proved: ReadonlySet<string> },
): Promise<Problem | undefined> {
  for (const [service, place] of adopted) {
    if (timers === undefined || !proved.has(service)) continue
    const answer = await disarmOverNewConnection(place, notedUnder(service, context), timers.reconnect)
    if (answer.kind === 'off') continue
    const why = answer.kind === 'not-off' ? `it is ${answer.state}` : 'there was no answer over a new connection'
    return notCalledOff(host, service, why)
  }
  return undefined
}

/** Deletes the timers that the plan reported, so that they are not reported again. */
export async function forgetReported({ timers, root }: GuardedHost, context: HostContext): Promise<void> {
  if (timers === undefined || timers.reported.length === 0) return
  const failure = await runStep(forgetTimersStep(root, timers.reported), notedUnder(hostItself, context))
  if (failure === undefined) return
  const note = 'The record of the rollback could not be deleted on the host; the next plan shows it again.'
  context.emit({ type: 'host-note', host: context.host, note })
}

/** Journals the steps that are sent under this service. */
export function notedUnder(service: string, context: HostContext): HostContext {
  return { ...context, written: { journal: context.journal, subject: { service } } }
}

async function rollBackNow(place: TimerRef, { service }: RollbackTimer, context: HostContext): Promise<DisarmResult> {
  context.emit({ type: 'host-note', host: context.host, note: `the host rolls ${service} back` })
  const failure = await runStep(actNowStep(place, service), context)
  return failure === undefined ? waitForTimer(place, context, actingMs) : { kind: 'unknown', failure }
}

/** A finished timer is no problem of this run, however it ended: the host is planned again before anything is done. */
function judge(host: string, timer: RollbackTimer, answer: DisarmResult): Problem | undefined {
  if (answer.kind === 'unknown')
    return stillArmed(host, timer, describeFailure(answer.failure, { host, service: timer.service, step: 'settle it' }).why)
  if (answer.kind === 'not-off' && (answer.state === 'armed' || answer.state === 'acting'))
    return stillArmed(host, timer, 'it did not end in time')
  return undefined
}

function noteOf({ service }: RollbackTimer, answer: DisarmResult): string {
  if (answer.kind === 'off') return `${service} works and is confirmed`
  if (answer.kind === 'not-off' && answer.state === 'failed') return `the host failed to roll ${service} back`
  return answer.kind === 'not-off' && answer.state === 'spared'
    ? `the host did not roll ${service} back: its files had been edited`
    : `the host rolled ${service} back`
}

function stillArmed(host: string, { service }: RollbackTimer, why: string): Problem {
  return new ConvergeError('APPLY.NOT_CONFIRMED', {
    summary: 'A server of an earlier run is not confirmed yet. Nothing was done.',
    why: `On ${host}: ${service} was replaced, and the host may roll it back at any moment: ${why}`,
    next: [planAgain({ host })],
  }).toProblem()
}

function notCalledOff(host: string, service: string, why: string): Problem {
  return new ConvergeError('APPLY.NOT_CONFIRMED', {
    summary: 'The rollback timer of the new server could not be disarmed.',
    why: `On ${host}, for service ${service}: it works, but its rollback timer could not be disarmed (${why}). The host may have rolled it back.`,
    next: [planAgain({ host })],
  }).toProblem()
}

const nothing: Settlement = { proved: [], adopted: new Map() }

function notKnown(host: string, why: string): Problem {
  return new ConvergeError('APPLY.NOT_CONFIRMED', {
    summary: 'The rollback timers on the host are unknown. Nothing was done.',
    why: `On ${host}: ${why}. A rollback timer could restore a server while another one takes its place.`,
    next: [planAgain({ host })],
  }).toProblem()
}
