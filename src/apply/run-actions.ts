import { ConvergeError } from '../errors/converge-error.ts'
import type { Action } from '../model/action.ts'
import type { AppliedRecord } from '../model/facts.ts'
import type { Problem } from '../model/plan.ts'
import type { ActionResult } from '../model/report.ts'
import type { StepGroup } from '../model/step.ts'
import { planAgain } from './describe-failure.ts'
import { executeGroup, type GroupContext } from './execute-group.ts'
import type { Replacement } from './replacement.ts'
import type { StepJournal } from './step-journal.ts'
import type { IdleWait } from './wait-idle.ts'

/** An action after the second look at its host. */
export type PreparedAction = ReadyAction | StaleAction

export interface ReadyAction {
  readonly action: Action
  readonly group: StepGroup
  /**
   * What is to be remembered of the service once it is done and proved; null: nothing is left to be remembered. Absent: it is about
   * no service.
   */
  readonly record?: AppliedRecord | null
  /** How it waits until its server is idle; absent: it does not. */
  readonly idle?: IdleWait
  /** It replaces a running server and has a way back to it. */
  readonly replaces?: true
}

export interface StaleAction {
  readonly action: Action
  readonly problem: Problem
}

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

export interface HostContext extends GroupContext {
  readonly journal: StepJournal
  /** For each action that replaces a running server; absent: what is done is not watched over. */
  readonly replacing?: (ready: ReadyAction) => Replacement
}

/**
 * The actions of one host, one after another. A failure ends the actions on its service; before the others go on, the host is
 * looked at and planned again, so that nothing starts on the strength of a stop that did not happen.
 */
export async function runActions(work: Work, context: HostContext): Promise<ActedOn> {
  const results: ActionResult[] = []
  const ready: ReadyAction[] = []
  const broken = new Set<string>()
  let prepared: readonly PreparedAction[] | undefined
  for (const [index, action] of work.actions.entries()) {
    if (context.signal?.aborted === true) results.push(notRun(action, interruptedBefore))
    else if (broken.has(action.service)) results.push(notRun(action, 'an earlier action on this service was not done'))
    else {
      const look = () => work.prepare(work.actions.slice(index).filter((rest) => !broken.has(rest.service)))
      let turn: Turn
      try {
        turn = await whenIdle(action, prepared ?? (await look()), look, context)
      } catch (error) {
        const rest = work.actions.slice(index).map((one) => notRun(one, 'the host could not be looked at again'))
        return { results: [...results, ...rest], ready, problem: notRead(context.host, problemOf(error)) }
      }
      prepared = turn.prepared
      const result = turn.held ?? (await runPrepared(turn, context, ready))
      results.push(result)
      if (result.status === 'applied' || result.status === 'not-needed') continue
      if (result.problem?.code === 'APPLY.NOT_JOURNALLED') {
        const rest = work.actions.slice(index + 1).map((one) => notRun(one, 'what is done could not be written down any more'))
        return { results: [...results, ...rest], ready }
      }
      broken.add(action.service)
      // What was judged behind it has to be judged without it.
      prepared = undefined
    }
  }
  return { results, ready }
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
  context: HostContext,
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

async function runPrepared({ action, prepared, idle }: Turn, context: HostContext, ready: ReadyAction[]): Promise<ActionResult> {
  const found = prepared.find((one) => one.action.id === action.id)
  if (found === undefined) return { action: action.id, status: 'not-needed', ms: 0, done: [] }
  if ('problem' in found) return { ...notRun(action, found.problem.summary), problem: found.problem }
  ready.push(found)
  const place = { service: action.service, action: action.id }
  const waits = idle === undefined ? {} : { idle }
  const replacement = found.replaces === true ? context.replacing?.(found) : undefined
  const watched = replacement === undefined ? {} : { replacement }
  return executeGroup(found.action, found.group, {
    ...context,
    ...waits,
    ...watched,
    written: { journal: context.journal, place },
  })
}

export const interruptedBefore = 'the run was interrupted before it'

export function notRun(action: Action, left: string): ActionResult {
  return { action: action.id, status: 'not-run', ms: 0, done: [], left }
}

/** What went wrong on a host as data, an interrupt included; anything else is a bug and goes on being thrown. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ConvergeError) return error.toProblem()
  if (error instanceof Error && error.name === 'AbortError') return interruptedWhileLooking()
  throw error
}

function interruptedWhileLooking(): Problem {
  return new ConvergeError('APPLY.INTERRUPTED', {
    summary: 'The run was interrupted.',
    why: 'It was interrupted while the host was looked at.',
    next: ['converge plan', 'converge verify'],
  }).toProblem()
}

function notRead(host: string, problem: Problem): Problem {
  return new ConvergeError('APPLY.HOST_NOT_READ', {
    summary: 'The host could not be looked at again. Nothing more was done.',
    why: `On ${host}: ${problem.why}`,
    next: [...problem.next, planAgain({ host })],
  }).toProblem()
}
