import { ConvergeError } from '../errors/converge-error.ts'
import { hostBug } from '../errors/host-bug.ts'
import { defined } from '../lib/defined.ts'
import type { Action } from '../model/action.ts'
import type { Problem } from '../model/plan.ts'
import type { ActionResult } from '../model/report.ts'
import { type Absences, createAbsences } from './absences.ts'
import { planAgain } from './describe-failure.ts'
import { executeGroup } from './execute-group.ts'
import type { HostContext, PreparedAction, ReadyAction } from './prepared-action.ts'
import type { IdleContext, IdleWait } from './wait-idle.ts'

export interface ActedOn {
  readonly results: readonly ActionResult[]
  /** The actions that had their turn, as they were prepared. */
  readonly ready: readonly ReadyAction[]
  /** Why the host could not be looked at. */
  readonly problem?: Problem
}

/** What is asked of a host's task here. */
interface Work {
  readonly actions: readonly Action[]
  prepare(remaining: readonly Action[]): Promise<readonly PreparedAction[]>
}

/**
 * The actions of one host, one after another. A failure ends the actions on its service; before the others go on, the host is
 * looked at and planned again, so that nothing starts on the strength of a stop that did not happen. A server that is down until its own
 * start is brought back where that start will not come.
 */
export async function runActions(work: Work, context: HostContext): Promise<ActedOn> {
  const run: HostRun = { context, results: [], ready: [], broken: new Set(), absences: createAbsences(context) }
  let prepared: readonly PreparedAction[] | undefined
  for (const [index, action] of work.actions.entries()) {
    if (context.signal?.aborted === true) await giveUp(run, 'the run was interrupted')
    const look = () => work.prepare(work.actions.slice(index).filter((rest) => !run.broken.has(rest.service)))
    if (context.signal?.aborted === true) run.results.push(notRun(action, interruptedBefore))
    else if (run.broken.has(action.service)) run.results.push(notRun(action, 'an earlier action on this service was not done'))
    else {
      let turn: Turn
      try {
        prepared ??= await look()
        while (await strandedIsBack(run, prepared)) prepared = await look()
        if (run.broken.has(action.service)) {
          run.results.push(notRun(action, 'its server was brought back as it was'))
          continue
        }
        turn = await whenIdle(action, prepared, look, { ...context, hurry: run.absences.services().length > 0 })
      } catch (error) {
        await giveUp(run, 'the host could not be looked at again')
        const rest = work.actions.slice(index).map((one) => notRun(one, 'the host could not be looked at again'))
        return endOf(run, rest, notRead(context.host, problemOf(context.host, error)))
      }
      prepared = turn.prepared
      const result = turn.held ?? (await runPrepared(turn, run))
      run.results.push(result)
      if (run.guarded !== undefined && !isInterrupted(context)) {
        const why = `the host may put ${run.guarded} back by itself`
        return endOf(
          run,
          work.actions.slice(index + 1).map((one) => notRun(one, why)),
        )
      }
      if (result.status === 'applied' || result.status === 'not-needed') continue
      if (result.problem?.code === 'APPLY.NOT_JOURNALLED') {
        await giveUp(run, 'what is done could not be written down any more')
        return endOf(
          run,
          work.actions.slice(index + 1).map((one) => notRun(one, 'what is done could not be written down any more')),
        )
      }
      run.broken.add(action.service)
      const lost = result.undone !== undefined && result.undone !== 'restored' && result.undone !== 'not-needed'
      await bringBack(
        run,
        action.service,
        `${action.kind} was not done`,
        lost ? `what ${action.kind} has left there.` : undefined,
      )
      // What was judged behind it has to be judged without it.
      prepared = undefined
    }
  }
  await giveUp(run, 'it was not started again')
  return endOf(run, [])
}

function isInterrupted({ signal }: HostContext): boolean {
  return signal?.aborted === true
}

/** What has become of the actions of a host so far. */
interface HostRun {
  readonly context: HostContext
  readonly results: ActionResult[]
  readonly ready: ReadyAction[]
  /** Services on which nothing more is done. */
  readonly broken: Set<string>
  readonly absences: Absences
  /** A service that the host may put back by itself: what else is done there could stand in its way. */
  guarded?: string
}

function endOf({ results, ready }: HostRun, rest: readonly ActionResult[], problem?: Problem): ActedOn {
  const acted = { results: [...results, ...rest], ready }
  return problem === undefined ? acted : { ...acted, problem }
}

/** Whether a server that is down, and whose own start the last look does not see coming, was brought back. */
async function strandedIsBack(run: HostRun, prepared: readonly PreparedAction[]): Promise<boolean> {
  const stranded = run.absences
    .services()
    .find((service) => prepared.some((one) => one.action.service === service && 'problem' in one))
  if (stranded === undefined) return false
  await bringBack(run, stranded, 'it cannot be started as it is wanted')
  return true
}

async function giveUp(run: HostRun, why: string): Promise<void> {
  for (const service of run.absences.services()) await bringBack(run, service, why)
}

/** What was reported of the actions that are taken back is put right. */
async function bringBack(run: HostRun, service: string, why: string, stuck?: string): Promise<void> {
  const { context, results, broken } = run
  for (const { action, now } of await run.absences.bringBack(service, why, stuck)) {
    const at = results.findIndex((result) => result.action === action)
    const before = results[at]
    if (before === undefined) continue
    const result = { ...before, ...now }
    results[at] = result
    broken.add(action.split('/')[1] ?? '')
    context.emit({ type: 'action-finished', host: context.host, result })
  }
}

/** One action at the moment at which it would be done. */
interface Turn {
  readonly action: Action
  readonly prepared: readonly PreparedAction[]
  readonly idle?: IdleWait
  /** It is not done: its server works on a request, or nobody wants to wait any longer. */
  readonly held?: ActionResult
}

/** Before anything of an action is done, its server may have to be waited for; what was seen before that is looked at anew. */
async function whenIdle(
  action: Action,
  prepared: readonly PreparedAction[],
  look: () => Promise<readonly PreparedAction[]>,
  context: IdleContext,
): Promise<Turn> {
  const found = prepared.find((one) => one.action.id === action.id)
  const idle = found !== undefined && 'group' in found ? found.idle : undefined
  if (idle === undefined) return { action, prepared }
  const ending = await idle.until(context)
  if (ending.kind === 'interrupted') return { action, prepared, held: notRun(action, interruptedBefore) }
  if (ending.kind === 'held-back')
    return { action, prepared, held: { ...notRun(action, ending.problem.summary), problem: ending.problem } }
  return { action, idle, prepared: ending.waited ? await look() : prepared }
}

async function runPrepared({ action, prepared, idle }: Turn, run: HostRun): Promise<ActionResult> {
  const { context, ready, absences } = run
  const found = prepared.find((one) => one.action.id === action.id)
  if (found === undefined) {
    if (action.starts) await absences.isBack(action.service)
    return { action: action.id, status: 'not-needed', ms: 0, done: [] }
  }
  if ('problem' in found) return { ...notRun(action, found.problem.summary), problem: found.problem }
  ready.push(found)
  const place = { service: action.service, action: action.id }
  const waits = defined({ idle })
  const down = absences.services()
  const adopts = found.action.starts && context.adopts?.(action.service) === true
  const replaces = adopts || (found.replaces === true && (found.action.interrupts || down.includes(action.service)))
  const replacement = replaces ? context.replacing?.(found) : undefined
  const guard = replaces && down.length === 0 ? context.guarding?.(found) : undefined
  const watched = defined({ replacement, guard })
  const hurry = down.length > 0
  const written = { journal: context.journal, place }
  const result = await executeGroup(found.action, absences.asDone(found), { ...context, ...waits, ...watched, hurry, written })
  if (guard?.isArmed() === true) run.guarded = action.service
  if (result.status !== 'applied') return result
  absences.applied(found)
  const left = action.starts ? await absences.isBack(action.service) : []
  return left.length === 0 ? result : { ...result, left: [result.left, ...left].filter((one) => one !== undefined).join('; ') }
}

export const interruptedBefore = 'the run was interrupted before it'

export function notRun(action: Action, left: string): ActionResult {
  return { action: action.id, status: 'not-run', ms: 0, done: [], left }
}

/** What went wrong on a host as data, an interrupt and a bug included. */
export function problemOf(host: string, error: unknown): Problem {
  if (error instanceof ConvergeError) return error.toProblem()
  if (error instanceof Error && error.name === 'AbortError') return interruptedWhileLooking()
  return hostBug(host, error).toProblem()
}

function interruptedWhileLooking(): Problem {
  return new ConvergeError('APPLY.INTERRUPTED', {
    summary: 'The run was interrupted.',
    why: 'It was interrupted while the host was looked at.',
    next: ['converge plan', 'converge verify'],
  }).toProblem()
}

function notRead(host: string, problem: Problem): Problem {
  if (problem.code === 'INTERNAL.HOST') return problem
  return new ConvergeError('APPLY.HOST_NOT_READ', {
    summary: 'The host could not be looked at again. Nothing more was done.',
    why: `On ${host}: ${problem.why}`,
    next: [...problem.next, planAgain({ host })],
  }).toProblem()
}
