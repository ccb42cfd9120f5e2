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
  const run: HostRun = { context, results: [], ready: [], broken: new Set(), temporaryStops: createTemporaryStops(context) }
  for (const [index, action] of work.actions.entries()) {
    const rest = work.actions.slice(index)
    const stop = await takeTurn(run, action, () => work.prepare(rest.filter(({ service }) => !run.broken.has(service))))
    if (stop === undefined) continue
    const left = stop.problem === undefined ? rest.slice(1) : rest
    return endOf(
      run,
      left.map((one) => notRun(one, stop.why)),
      stop.problem,
    )
  }
  await giveUp(run, 'it was not started again')
  return endOf(run, [])
}

/** Why nothing more is done on the host. */
interface Stop {
  readonly why: string
  /** The host could not be looked at, so that not even the action was done whose turn it was. */
  readonly problem?: Problem
}

type Look = () => Promise<readonly PreparedAction[]>

async function takeTurn(run: HostRun, action: Action, look: Look): Promise<Stop | undefined> {
  if (isInterrupted(run.context)) {
    await giveUp(run, 'the run was interrupted')
    return skip(run, action, interruptedBefore)
  }
  if (run.broken.has(action.service)) return skip(run, action, 'an earlier action on this service was not done')
  let turn: Turn
  try {
    run.prepared ??= await look()
    while (await strandedIsBack(run, run.prepared)) run.prepared = await look()
    if (run.broken.has(action.service)) return skip(run, action, 'its server was brought back as it was')
    turn = await whenIdle(action, run.prepared, look, { ...run.context, hurry: run.temporaryStops.services().length > 0 })
  } catch (error) {
    const why = 'the host could not be looked at again'
    await giveUp(run, why)
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

/** What follows from how an action ended: what was judged behind one that was not done has to be judged without it. */
async function settleTurn(run: HostRun, action: Action, result: ActionResult): Promise<Stop | undefined> {
  if (run.guarded !== undefined && !isInterrupted(run.context)) return { why: `the host may put ${run.guarded} back by itself` }
  if (result.status === 'applied' || result.status === 'not-needed') return undefined
  if (result.problem?.code === 'APPLY.NOT_JOURNALLED') {
    const why = 'what is done could not be written down any more'
    await giveUp(run, why)
    return { why }
  }
  run.broken.add(action.service)
  const lost = result.undone !== undefined && result.undone !== 'restored' && result.undone !== 'not-needed'
  const stuck = lost ? `what ${action.kind} has left there.` : undefined
  await bringBack(run, action.service, `${action.kind} was not done`, stuck)
  delete run.prepared
  return undefined
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
  readonly temporaryStops: TemporaryStops
  /** As the last look at the host found them; absent: it has to be looked at again. */
  prepared?: readonly PreparedAction[]
  /** A service that the host may put back by itself: what else is done there could stand in its way. */
  guarded?: string
}

function endOf({ results, ready }: HostRun, rest: readonly ActionResult[], problem?: Problem): ActedOn {
  const acted = { results: [...results, ...rest], ready }
  return problem === undefined ? acted : { ...acted, problem }
}

/** Whether a server that is down, and whose own start the last look does not see coming, was brought back. */
async function strandedIsBack(run: HostRun, prepared: readonly PreparedAction[]): Promise<boolean> {
  const stranded = run.temporaryStops
    .services()
    .find((service) => prepared.some((one) => one.action.service === service && 'problem' in one))
  if (stranded === undefined) return false
  await bringBack(run, stranded, 'it cannot be started as it is wanted')
  return true
}

async function giveUp(run: HostRun, why: string): Promise<void> {
  for (const service of run.temporaryStops.services()) await bringBack(run, service, why)
}

/** What was reported of the actions that are taken back is put right. */
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

/** One action at the moment at which it would be done. */
interface Turn {
  readonly action: Action
  readonly prepared: readonly PreparedAction[]
  readonly idle?: IdleWait
  /** It is not done: its server works on a request, or nobody wants to wait any longer. */
  readonly held?: ActionResult
}

/** Before anything of an action is done, its server may have to be waited for; what was seen before that is looked at anew. */
async function whenIdle(action: Action, prepared: readonly PreparedAction[], look: Look, context: IdleContext): Promise<Turn> {
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
  const written = { journal: context.journal, place: { service: action.service, action: action.id } }
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

/** What replaces a running server, or starts one that an earlier run left guarded, is proved at once, and the host can undo it alone. */
function watchedBy(found: ReadyAction, { context, temporaryStops }: HostRun): Pick<GroupContext, 'replacement' | 'guard'> {
  const { service, starts, interrupts } = found.action
  const down = temporaryStops.services()
  const adopts = starts && context.adopts?.(service) === true
  const replaces = adopts || (found.replaces === true && (interrupts || down.includes(service)))
  if (!replaces) return {}
  const guard = down.length === 0 ? context.guarding?.(found) : undefined
  return defined({ replacement: context.replacing?.(found), guard })
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
    next: [converge(['plan']), converge(['verify'])],
  }).toProblem()
}

function notRead(host: string, problem: Problem): Problem {
  if (problem.code === 'INTERNAL.HOST') return problem
  return new ConvergeError('APPLY.HOST_NOT_READ', {
    summary: 'The facts of the host could not be gathered again. Nothing more was done.',
    why: `On ${host}: ${problem.why}`,
    next: [...problem.next, planAgain({ host })],
  }).toProblem()
}
