import { ConvergeError } from '../errors/converge-error.ts'
import { hostBug } from '../errors/host-bug.ts'
import { defined } from '../lib/defined.ts'
import { converge } from '../lib/next-command.ts'
import type { Action } from '../model/action.ts'
import type { Problem } from '../model/plan.ts'
import type { ActionResult } from '../model/report.ts'
import { planAgain } from './describe-failure.ts'
import { executeGroup, type GroupContext } from './execute-group.ts'
import type { HostContext, PreparedAction, ReadyAction } from './prepared-action.ts'
import { createTemporaryStops, type TemporaryStops } from './temporary-stops.ts'
import type { IdleContext, IdleWait } from './wait-idle.ts'

export interface ActionsOutcome {
  readonly results: readonly ActionResult[]
  /** The actions that were attempted, as prepared. */
  readonly ready: readonly ReadyAction[]
  /** Why the host's facts could not be gathered. */
  readonly problem?: Problem
}

/** The part of a host's task that is needed here. */
interface ActionQueue {
  readonly actions: readonly Action[]
  prepare(remaining: readonly Action[]): Promise<readonly PreparedAction[]>
}

/**
 * Runs the actions of one host, one after another. A failure ends the actions on its service. Before the others continue, the host is
 * planned again, so that nothing starts because of a stop that did not happen. A temporarily stopped server is restored if its own
 * start will not come.
 */
export async function runActions(queue: ActionQueue, context: HostContext): Promise<ActionsOutcome> {
  const run: HostRun = { context, results: [], ready: [], broken: new Set(), temporaryStops: createTemporaryStops(context) }
  for (const [index, action] of queue.actions.entries()) {
    const rest = queue.actions.slice(index)
    const stop = await takeTurn(run, action, () => queue.prepare(rest.filter(({ service }) => !run.broken.has(service))))
    if (stop === undefined) continue
    const left = stop.problem === undefined ? rest.slice(1) : rest
    return endOf(
      run,
      left.map((one) => notRun(one, stop.why)),
      stop.problem,
    )
  }
  await restoreAll(run, 'it was not started again')
  return endOf(run, [])
}

/** Why the run stops on the host. */
interface Stop {
  readonly why: string
  /** The host's facts could not be gathered, so that the current action was not run either. */
  readonly problem?: Problem
}

type Replan = () => Promise<readonly PreparedAction[]>

async function takeTurn(run: HostRun, action: Action, replan: Replan): Promise<Stop | undefined> {
  if (isInterrupted(run.context)) {
    await restoreAll(run, 'the run was interrupted')
    return skip(run, action, interruptedBefore)
  }
  if (run.broken.has(action.service)) return skip(run, action, 'an earlier action on this service failed')
  let turn: Turn
  try {
    run.prepared ??= await replan()
    while (await strandedIsBack(run, run.prepared)) run.prepared = await replan()
    if (run.broken.has(action.service)) return skip(run, action, 'its server was restored')
    turn = await whenIdle(action, run.prepared, replan, { ...run.context, hurry: run.temporaryStops.services().length > 0 })
  } catch (error) {
    const why = 'the facts of the host could not be gathered again'
    await restoreAll(run, why)
    return { why, problem: notRead(run.context.host, problemOf(run.context.host, error)) }
  }
  run.prepared = turn.prepared
  const result = turn.held ?? (await runPrepared(turn, run))
  run.results.push(result)
  return settleTurn(run, action, result)
}

function skip(run: HostRun, action: Action, why: string): undefined {
  run.results.push(notRun(action, why))
  return undefined
}

/** Consequences of how an action ended: if it was not done, later actions must be judged again without it. */
async function settleTurn(run: HostRun, action: Action, result: ActionResult): Promise<Stop | undefined> {
  if (run.guarded !== undefined && !isInterrupted(run.context)) return { why: `the host may still roll ${run.guarded} back` }
  if (result.status === 'applied' || result.status === 'not-needed') return undefined
  if (result.problem?.code === 'APPLY.NOT_JOURNALLED') {
    const why = 'the journal could not be written'
    await restoreAll(run, why)
    return { why }
  }
  run.broken.add(action.service)
  const lost = result.undone !== undefined && result.undone !== 'restored' && result.undone !== 'not-needed'
  const name = `"${action.kind} ${action.service}"`
  const stuck = lost ? `This action was not undone, because ${name} was not rolled back.` : undefined
  await bringBack(run, action.service, `${name} failed`, stuck)
  delete run.prepared
  return undefined
}

function isInterrupted({ signal }: HostContext): boolean {
  return signal?.aborted === true
}

/** The state of a host's run so far. */
interface HostRun {
  readonly context: HostContext
  readonly results: ActionResult[]
  readonly ready: ReadyAction[]
  /** Services whose remaining actions are skipped. */
  readonly broken: Set<string>
  readonly temporaryStops: TemporaryStops
  /** From the last planning of the host; absent: plan again. */
  prepared?: readonly PreparedAction[]
  /** A service that the host may still roll back; further actions could interfere. */
  guarded?: string
}

function endOf({ results, ready }: HostRun, rest: readonly ActionResult[], problem?: Problem): ActionsOutcome {
  const acted = { results: [...results, ...rest], ready }
  return problem === undefined ? acted : { ...acted, problem }
}

/** Restores a temporarily stopped server whose own start is no longer possible; whether there was one. */
async function strandedIsBack(run: HostRun, prepared: readonly PreparedAction[]): Promise<boolean> {
  const stranded = run.temporaryStops
    .services()
    .find((service) => prepared.some((one) => one.action.service === service && 'problem' in one))
  if (stranded === undefined) return false
  await bringBack(run, stranded, `"start ${stranded}" is not possible with its new definition`)
  return true
}

async function restoreAll(run: HostRun, why: string): Promise<void> {
  for (const service of run.temporaryStops.services()) await bringBack(run, service, why)
}

/** Restores a temporarily stopped server and corrects the results of the actions that were undone for it. */
async function bringBack(run: HostRun, service: string, why: string, stuck?: string): Promise<void> {
  const { context, results, broken } = run
  for (const { action, now } of await run.temporaryStops.bringBack(service, why, stuck)) {
    const at = results.findIndex((result) => result.action === action)
    const before = results[at]
    if (before === undefined) continue
    const result = { ...before, ...now }
    results[at] = result
    broken.add(action.split('/')[1] ?? '')
    context.emit({ type: 'action-finished', host: context.host, result })
  }
}

/** One action right before it runs. */
interface Turn {
  readonly action: Action
  readonly prepared: readonly PreparedAction[]
  readonly idle?: IdleWait
  /** It is not run: its server is busy, or the run was interrupted. */
  readonly held?: ActionResult
}

/** Waits for an idle server before an action begins. After a wait the host is planned again. */
async function whenIdle(
  action: Action,
  prepared: readonly PreparedAction[],
  replan: Replan,
  context: IdleContext,
): Promise<Turn> {
  const found = prepared.find((one) => one.action.id === action.id)
  const idle = found !== undefined && 'group' in found ? found.idle : undefined
  if (idle === undefined) return { action, prepared }
  const ending = await idle.until(context)
  if (ending.kind === 'interrupted') return { action, prepared, held: notRun(action, interruptedBefore) }
  if (ending.kind === 'held-back')
    return { action, prepared, held: { ...notRun(action, ending.problem.summary), problem: ending.problem } }
  return { action, idle, prepared: ending.waited ? await replan() : prepared }
}

async function runPrepared({ action, prepared, idle }: Turn, run: HostRun): Promise<ActionResult> {
  const { context, ready, temporaryStops } = run
  const found = prepared.find((one) => one.action.id === action.id)
  if (found === undefined) {
    if (action.starts) await temporaryStops.isBack(action.service)
    return { action: action.id, status: 'not-needed', ms: 0, done: [] }
  }
  if ('problem' in found) return { ...notRun(action, found.problem.summary), problem: found.problem }
  ready.push(found)
  const watched = watchedBy(found, run)
  const hurry = temporaryStops.services().length > 0
  const written = { journal: context.journal, subject: { service: action.service, action: action.id } }
  const result = await executeGroup(found.action, temporaryStops.asDone(found), {
    ...context,
    ...defined({ idle }),
    ...watched,
    hurry,
    written,
  })
  if (watched.guard?.isArmed() === true) run.guarded = action.service
  if (result.status !== 'applied') return result
  temporaryStops.applied(found)
  const left = action.starts ? await temporaryStops.isBack(action.service) : []
  return left.length === 0 ? result : { ...result, left: [result.left, ...left].filter((one) => one !== undefined).join('; ') }
}

/** Proof and guard for an action that replaces a running server, or starts one that an earlier run left guarded. */
function watchedBy(found: ReadyAction, { context, temporaryStops }: HostRun): Pick<GroupContext, 'replacement' | 'guard'> {
  const { service, starts, interrupts } = found.action
  const down = temporaryStops.services()
  const adopts = starts && context.adopts?.(service) === true
  const replaces = adopts || (found.replaces === true && (interrupts || down.includes(service)))
  if (!replaces) return {}
  const guard = down.length === 0 ? context.guarding?.(found) : undefined
  return defined({ replacement: context.replacing?.(found), guard })
}

export const interruptedBefore = 'the run was interrupted before this action'

export function notRun(action: Action, left: string): ActionResult {
  return { action: action.id, status: 'not-run', ms: 0, done: [], left }
}

/** Any error on a host as a problem, including interrupts and bugs. */
export function problemOf(host: string, error: unknown): Problem {
  if (error instanceof ConvergeError) return error.toProblem()
  if (error instanceof Error && error.name === 'AbortError') return interruptedWhileLooking()
  return hostBug(host, error).toProblem()
}

function interruptedWhileLooking(): Problem {
  return new ConvergeError('APPLY.INTERRUPTED', {
    summary: 'The run was interrupted.',
    why: 'It was interrupted while the facts of the host were gathered.',
    next: [converge(['plan']), converge(['verify'])],
  }).toProblem()
}

function notRead(host: string, problem: Problem): Problem {
  if (problem.code === 'INTERNAL.HOST') return problem
  return new ConvergeError('APPLY.HOST_NOT_READ', {
    summary: 'The facts of the host could not be gathered again. The run stopped there.',
    why: `On ${host}: ${problem.why}`,
    next: [...problem.next, planAgain({ host })],
  }).toProblem()
}
