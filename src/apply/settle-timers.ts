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
  askWhenOver,
  type CalledOff,
  callOffAnew,
  forgetTimersStep,
  noneWaits,
  type TimerPlace,
} from './rollback-timer.ts'
import { problemOf } from './run-actions.ts'
import { askChecks, runStep } from './run-step.ts'

/** A host that can put back by itself what nobody confirms. */
export interface GuardedHost {
  readonly host: string
  /** Converge's folder on the host, absolute. */
  readonly root: string
  /** Absent: nothing is left there, and nothing looked for. */
  readonly timers?: Timers
}

export interface Timers {
  /** A new connection to the host. */
  readonly reconnect: () => Promise<Transport>
  /** What waits there, as it is now. Throws `ConvergeError`. */
  look(): Promise<Observed<readonly RollbackTimer[]>>
  /** Whether the service is one that can be proved. */
  canProve(service: string): boolean
  /** Whether the approved plan of the host starts the service, in this play or a later one. */
  starts(service: string): boolean
  /** Ids of timers that acted, as the plan told. */
  readonly told: readonly string[]
  /** Ids of timers that the plan said are settled first; absent: any. Another one has nothing rolled back by this run. */
  readonly shown?: readonly string[]
}

export interface Settling {
  readonly proved: readonly SmokeResult[]
  /** Timers that go on guarding, by service: this run replaces or starts it again. */
  readonly adopted: ReadonlyMap<string, TimerPlace>
  /** Why nothing may be done on the host. */
  readonly problem?: Problem
}

/** Longer than a rollback takes, with its second and third try. */
const actingMs = 20 * 60_000

/**
 * What an earlier run left to a host comes first: what waits to be confirmed is proved, and called off only where it works. What this run is to
 * start anew stays guarded until that is proved. Anything else the host puts back now, while the run that holds its lock waits for it.
 *
 * @param prove undefined: nobody wants to know any more
 */
export async function settleTimers(
  task: GuardedHost,
  context: HostContext,
  prove: (service: string) => Promise<SmokeResult | undefined>,
): Promise<Settling> {
  const { timers, root, host } = task
  if (timers === undefined) return nothing
  const waits = await askChecks('look whether something waits to be confirmed', [noneWaits(root)], context)
  if (waits === undefined) return nothing
  try {
    const seen = await timers.look()
    if (!seen.known) return { ...nothing, problem: notKnown(host, seen.detail ?? seen.because) }
    return await settleEach(seen.value.filter(isWaiting), task, timers, { context, prove })
  } catch (error) {
    return { ...nothing, problem: problemOf(host, error) }
  }
}

interface Settler {
  readonly context: HostContext
  readonly prove: (service: string) => Promise<SmokeResult | undefined>
}

async function settleEach(
  waiting: readonly RollbackTimer[],
  task: GuardedHost,
  timers: Timers,
  settler: Settler,
): Promise<Settling> {
  const proved: SmokeResult[] = []
  const adopted = new Map<string, TimerPlace>()
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

/** Confirms what works; anything else the host puts back. */
async function settleOne(
  timer: RollbackTimer,
  {
    place,
    mayWork,
    reconnect,
    shown,
  }: { readonly place: TimerPlace; readonly mayWork: boolean } & Pick<Timers, 'reconnect' | 'shown'>,
  { context, prove }: Settler,
): Promise<{ readonly problem?: Problem; readonly proved?: SmokeResult }> {
  const { host, signal } = context
  const result = mayWork ? await prove(timer.service) : undefined
  if (signal?.aborted === true) return { problem: stillWaits(host, timer, 'the run was interrupted') }
  const works = result?.ok === true
  if (!works && !mayRollBack(timer, shown))
    return { problem: stillWaits(host, timer, 'it does not work, and that it would be rolled back now was not in the plan') }
  const noted = notedUnder(timer.service, context)
  const answer = works ? await callOffAnew(place, noted, reconnect) : await putBackNow(place, timer, noted)
  const problem = judge(host, timer, answer)
  if (problem !== undefined) return { problem }
  context.emit({ type: 'host-note', host, note: noteOf(timer, answer) })
  return works && answer.kind === 'off' ? { proved: result } : {}
}

/** One that is armed and was not in the plan is left to the host. */
function mayRollBack({ state, id }: RollbackTimer, shown: Timers['shown']): boolean {
  return state !== 'armed' || shown === undefined || shown.includes(id)
}

function isWaiting({ state }: RollbackTimer): boolean {
  return state === 'armed' || state === 'acting'
}

/** What this run was to start and found started is proved and confirmed at its end. */
export async function confirmAdopted(
  { host, timers }: GuardedHost,
  { adopted }: Settling,
  { context, proved }: { readonly context: HostContext; readonly proved: ReadonlySet<string> },
): Promise<Problem | undefined> {
  for (const [service, place] of adopted) {
    if (timers === undefined || !proved.has(service)) continue
    const answer = await callOffAnew(place, notedUnder(service, context), timers.reconnect)
    if (answer.kind === 'off') continue
    const why = answer.kind === 'not-off' ? `it is ${answer.state}` : 'nobody heard over a new connection'
    return notCalledOff(host, service, why)
  }
  return undefined
}

/** What was told of is not told again, once all is well. */
export async function forgetTold({ timers, root }: GuardedHost, context: HostContext): Promise<void> {
  if (timers === undefined || timers.told.length === 0) return
  const failure = await runStep(forgetTimersStep(root, timers.told), notedUnder(hostItself, context))
  if (failure === undefined) return
  const note = 'The record of the rollback could not be deleted on the host; the next plan shows it again.'
  context.emit({ type: 'host-note', host: context.host, note })
}

/** What is sent is written down as something about this service. */
export function notedUnder(service: string, context: HostContext): HostContext {
  return { ...context, written: { journal: context.journal, place: { service } } }
}

async function putBackNow(place: TimerPlace, { service }: RollbackTimer, context: HostContext): Promise<CalledOff> {
  context.emit({ type: 'host-note', host: context.host, note: `the host rolls ${service} back` })
  const failure = await runStep(actNowStep(place, service), context)
  return failure === undefined ? askWhenOver(place, context, actingMs) : { kind: 'unknown', failure }
}

/** What ended is no problem of this run, however it ended: the plan is made anew before anything is done. */
function judge(host: string, timer: RollbackTimer, answer: CalledOff): Problem | undefined {
  if (answer.kind === 'unknown')
    return stillWaits(host, timer, describeFailure(answer.failure, { host, service: timer.service, step: 'settle it' }).why)
  if (answer.kind === 'not-off' && (answer.state === 'armed' || answer.state === 'acting'))
    return stillWaits(host, timer, 'it did not end in time')
  return undefined
}

function noteOf({ service }: RollbackTimer, answer: CalledOff): string {
  if (answer.kind === 'off') return `${service} works, and is confirmed now`
  if (answer.kind === 'not-off' && answer.state === 'failed') return `the host failed to roll ${service} back`
  return answer.kind === 'not-off' && answer.state === 'spared'
    ? `the host did not roll ${service} back: its files had been edited`
    : `the host has rolled ${service} back`
}

function stillWaits(host: string, { service }: RollbackTimer, why: string): Problem {
  return new ConvergeError('APPLY.NOT_CONFIRMED', {
    summary: 'A server of an earlier run is not confirmed yet. Nothing was done.',
    why: `On ${host}: ${service} was replaced, and the host can roll it back at any moment: ${why}`,
    next: [planAgain({ host })],
  }).toProblem()
}

function notCalledOff(host: string, service: string, why: string): Problem {
  return new ConvergeError('APPLY.NOT_CONFIRMED', {
    summary: 'The rollback timer of the new server could not be disarmed.',
    why: `On ${host}, for service ${service}: it works, but its rollback timer could not be disarmed (${why}). The host has possibly rolled it back.`,
    next: [planAgain({ host })],
  }).toProblem()
}

const nothing: Settling = { proved: [], adopted: new Map() }

function notKnown(host: string, why: string): Problem {
  return new ConvergeError('APPLY.NOT_CONFIRMED', {
    summary: 'The rollback timers on the host are unknown. Nothing was done.',
    why: `On ${host}: ${why}. A rollback timer could restore a server while another one takes its place.`,
    next: [planAgain({ host })],
  }).toProblem()
}
