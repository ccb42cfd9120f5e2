import { defined } from '../lib/defined.ts'
import type { Action, ActionKind } from '../model/action.ts'
import type { Emit } from '../model/event.ts'
import type { Problem } from '../model/plan.ts'
import type { ActionResult } from '../model/report.ts'
import type { Step, StepGroup } from '../model/step.ts'
import { describeFailure, interruptedError, notAsked, notReached } from './describe-failure.ts'
import type { Ending, HostGuard } from './host-guard.ts'
import type { Replacement } from './replacement.ts'
import { askChecks, endedByAnyInterrupt, runStep, type StepContext } from './run-step.ts'
import { canUndoAfter, mayHaveActed, type StepFailure } from './step-failure.ts'
import type { IdleContext, IdleWait } from './wait-idle.ts'

export interface GroupContext extends StepContext, Pick<IdleContext, 'hurry'> {
  readonly host: string
  readonly emit: Emit
  /** Asked again right before a server would be touched; absent: do not wait for requests. */
  readonly idle?: IdleWait
  /** Only for an action that replaces a running server. */
  readonly replacement?: Replacement
  /** Only for an action that replaces a running server, where the host can roll back alone. */
  readonly guard?: HostGuard
}

/** Kinds whose postchecks cover the whole action: if they hold beforehand, the action is already done. */
const doneWhenPostchecksHold: readonly ActionKind[] = ['start', 'stop', 'remove', 'host-setting']

const checkBefore = 'check the preconditions of the plan'
const checkAfter = 'check that it took effect'

/**
 * Runs one action: prechecks, steps, postchecks, and the rollback when something fails. Never throws for what happens on a host;
 * the result says what was done and in which state the service is.
 */
export async function executeGroup(action: Action, group: StepGroup, context: GroupContext): Promise<ActionResult> {
  const started = context.clock.now()
  context.emit({ type: 'action-started', host: context.host, action: action.id, reason: action.reason })
  const done: string[] = []
  const ending = await attempt(action, group, context, done)
  const result = { action: action.id, ms: context.clock.now() - started, done, ...ending }
  context.emit({ type: 'action-finished', host: context.host, result })
  return result
}

async function attempt(action: Action, group: StepGroup, context: GroupContext, done: string[]): Promise<Ending> {
  const unmet = await askChecks(checkBefore, group.precheck, endedByAnyInterrupt(context))
  if (unmet?.kind === 'interrupted') return interrupted(group, context, done, checkBefore)
  if (unmet !== undefined) return beforeAnything(action, group, context, unmet)
  const { guard } = context
  if (guard === undefined) return act(action, group, context, done)
  const held = await guard.arm(context)
  const ending: Ending =
    held === undefined
      ? await act(action, guard.asDone(group), context, done)
      : { status: 'failed', problem: describeFailure(held.failure, placeOf(group, context, held.step)), undone: 'not-needed' }
  return guard.finish(ending, context)
}

async function act(action: Action, group: StepGroup, context: GroupContext, done: string[]): Promise<Ending> {
  for (const index of group.steps.keys()) {
    const ending = await takeStep(action, group, context, { done, index })
    if (ending !== undefined) return ending
  }
  const unmet = await askChecks(checkAfter, group.postcheck, context)
  if (unmet === undefined) return settle(group, context, done)
  if (unmet.kind === 'interrupted') return interrupted(group, context, done, checkAfter)
  const place = placeOf(group, context, checkAfter)
  const problem = unmet.kind === 'guard' ? notReached(unmet, place) : describeFailure(unmet, place)
  const sent = group.steps.some(({ server }) => server)
  return failed(group, context, { done, step: checkAfter, failure: unmet, sent }, problem)
}

/** Undefined: the step succeeded. */
async function takeStep(
  action: Action,
  group: StepGroup,
  context: GroupContext,
  { done, index }: { readonly done: string[]; readonly index: number },
): Promise<Ending | undefined> {
  const step = group.steps[index]
  if (step === undefined) return undefined
  const halfway = isHalfway(group, index)
  if (context.signal?.aborted === true && !halfway) return interrupted(group, context, done, step.label)
  const touches = step.server === true ? { server: true as const } : {}
  context.emit({ type: 'step-started', host: context.host, action: action.id, label: step.label, ...touches })
  const notes: string[] = []
  const noting = { ...(halfway ? unhurried(context) : context), onNote: (note: string) => void notes.push(note) }
  const failure = (await whileBusy(step, done, group, context)) ?? (await runStep(step, noting))
  if (failure !== undefined) return stopped(group, context, { done, index, step: step.label, failure })
  for (const note of notes) context.emit({ type: 'host-note', host: context.host, note: `${step.label}: ${note}` })
  done.push([step.label, ...notes].join(': '))
  return undefined
}

/** How an action ends when a step failed or was not run. */
async function stopped(
  group: StepGroup,
  context: GroupContext,
  {
    done,
    index,
    step,
    failure,
  }: { readonly done: string[]; readonly index: number; readonly step: string; readonly failure: StepFailure },
): Promise<Ending> {
  if (failure.kind === 'interrupted') return interrupted(group, context, done, step)
  if (failure.kind === 'held-back') return heldBack(group, context, { done, step, failure, sent: false })
  const problem = describeFailure(failure, placeOf(group, context, step))
  return failed(group, context, { done, step, failure, sent: isServerTouched(group, index, failure) }, problem)
}

/**
 * Between two steps that touch a server, neither the old nor the new server may be running. The first interrupt lets the rest
 * finish, so that one of them runs; only a second interrupt stops it.
 */
function isHalfway({ steps }: StepGroup, index: number): boolean {
  return steps.slice(0, index).some(({ server }) => server) && steps.slice(index).some(({ server }) => server)
}

function unhurried(context: GroupContext): GroupContext {
  const { signal: _, ...unhurriedOne } = context
  return unhurriedOne
}

/** The steps took effect. A replacement is proved now, while a rollback is still possible; without a proof its backups stay. */
async function settle(group: StepGroup, context: GroupContext, done: readonly string[]): Promise<Ending> {
  const settled = await context.replacement?.settle()
  if (settled?.kind === 'interrupted')
    return { status: 'applied', left: 'backup copies for a rollback: the new server was not tested' }
  // The backups are needed until the host's rollback timer is disarmed.
  if (settled?.kind !== 'not-proved') return (await context.guard?.confirm(context)) ?? tidyUp(group, context)
  return failed(group, context, { done, step: 'test that it works', sent: true }, settled.problem)
}

/** Waits for an idle server right before the first step that touches it, and only there. */
async function whileBusy(
  step: Step,
  done: readonly string[],
  { steps }: StepGroup,
  { idle, ...context }: GroupContext,
): Promise<StepFailure | undefined> {
  if (idle === undefined || step.server !== true || steps.slice(0, done.length).some(({ server }) => server)) return undefined
  const ending = await idle.until(context)
  return ending.kind === 'idle' ? undefined : ending
}

/** The server keeps running unchanged. It is a failure when files already written for it cannot be restored. */
async function heldBack(
  group: StepGroup,
  context: GroupContext,
  stop: Stop & { readonly failure: Extract<StepFailure, { readonly kind: 'held-back' }> },
): Promise<Ending> {
  const { problem, lost } = stop.failure
  // Preparations of a restart (a pulled image, a daemon-reload) need no rollback.
  if (!lost && group.undo.every(({ server }) => server === true)) return { status: 'not-run', problem }
  const ending = await failed(group, context, stop, problem)
  return ending.undone === 'failed' || ending.undone === 'not-possible' ? ending : { status: 'not-run', problem }
}

/** Runs the cleanup steps. One that fails is reported but is no failure: the service is in the desired state. */
export async function tidyUp(group: StepGroup, context: GroupContext): Promise<Ending> {
  const left: string[] = []
  for (const step of group.cleanup ?? []) {
    context.emit({ type: 'step-started', host: context.host, action: group.action, label: step.label })
    const failure = await runStep(step, context)
    if (failure === undefined) continue
    const why =
      failure.kind === 'interrupted'
        ? 'the run was interrupted'
        : describeFailure(failure, placeOf(group, context, step.label)).why
    left.push(`could not ${step.label}: ${why}`)
    // No answer would arrive, or nothing more may be changed.
    if (['in-doubt', 'lock-lost', 'interrupted'].includes(failure.kind)) break
  }
  return left.length === 0 ? { status: 'applied' } : { status: 'applied', left: left.join('; ') }
}

/** A precheck failed or could not be run. The action counts as already done only if the supervisor answers. */
async function beforeAnything(action: Action, group: StepGroup, context: GroupContext, failure: StepFailure): Promise<Ending> {
  const mayBeDone = failure.kind === 'guard' && doneWhenPostchecksHold.includes(action.kind) && group.postcheck.length > 0
  if (mayBeDone) {
    const answering = group.precheck.filter(({ answers }) => answers === true)
    const missing = await askChecks('check whether it is done already', [...answering, ...group.postcheck], context)
    if (missing === undefined) return tidyUp(group, context)
  }
  const place = placeOf(group, context, checkBefore)
  const problem = failure.kind === 'guard' ? describeFailure(failure, place) : notAsked(failure, place)
  return { status: 'failed', problem, undone: 'not-needed' }
}

/** Where and how an action ended. */
interface Stop {
  readonly done: readonly string[]
  readonly step: string
  /** Absent: every step succeeded. */
  readonly failure?: StepFailure
  /** A step that starts, stops or replaces a server was sent. */
  readonly sent: boolean
}

/** A step stopped by its guard was not sent. What the guard saw was done by someone else and is not rolled back. */
function isServerTouched({ steps }: StepGroup, index: number, failure: StepFailure): boolean {
  const before = steps.slice(0, index).some(({ server }) => server)
  return before || (steps[index]?.server === true && mayHaveActed(failure))
}

async function failed(group: StepGroup, context: GroupContext, stop: Stop, problem: Problem): Promise<Ending> {
  if (hasChangedNothing(group, stop)) return { status: 'failed', problem, undone: 'not-needed' }
  const { step: stopped_at, failure, sent } = stop
  if (context.force?.aborted === true) return { status: 'failed', problem, undone: 'not-begun', stopped_at }
  if (group.undo.length === 0 || (failure !== undefined && !canUndoAfter(failure)))
    return { status: 'failed', problem, undone: 'not-possible', stopped_at }
  const undo = group.undo.filter(({ server }) => sent || server !== true)
  const stuck = await runUndo(undo, group, context)
  if (stuck !== undefined) return { status: 'failed', problem, undone: 'failed', stopped_at, rollback_stopped_at: stuck }
  const left = undo.length < group.undo.length ? 'files as they were before this action; no server was touched' : undefined
  return { status: 'failed', problem, undone: 'restored', ...defined({ left }) }
}

function hasChangedNothing({ steps }: StepGroup, { done, failure }: Stop): boolean {
  if (failure === undefined) return false
  if (done.length === 0 && !mayHaveActed(failure)) return true
  return failure.kind === 'exit' && steps.slice(0, done.length + 1).every(isPreparing)
}

function isPreparing(step: Step): boolean {
  return (step.do === 'run' && step.prepares === true) || (step.do === 'put' && step.rehearsal === true)
}

/** Finishes a rollback even after the first interrupt, because half a rollback is the worst state. Undefined: all is restored. */
export async function runUndo(undo: readonly Step[], group: StepGroup, context: GroupContext): Promise<string | undefined> {
  const { signal: _, ...uninterrupted } = context
  const undoing = { ...uninterrupted, undoing: true as const }
  for (const step of undo) {
    if (context.force?.aborted === true) return `"${step.label}": the run was interrupted a second time`
    context.emit({ type: 'step-started', host: context.host, action: group.action, label: `undo: ${step.label}` })
    const failure = await runStep(step, undoing)
    if (failure === undefined) continue
    return `"${step.label}": ${describeFailure(failure, placeOf(group, context, step.label)).why}`
  }
  return undefined
}

/** Restores files that no server has read yet, because actions that depend on them may have to be undone too. */
async function interrupted(group: StepGroup, context: GroupContext, done: readonly string[], step: string): Promise<Ending> {
  const problem = interruptedError(placeOf(group, context, step)).toProblem()
  if (done.length === 0) return { status: 'not-run', problem, left: 'the run was interrupted before this action' }
  const touched = group.steps.slice(0, done.length).some(({ server }) => server)
  if (!touched) return failed(group, context, { done, step, sent: false }, problem)
  return { status: 'failed', problem, undone: 'not-begun', stopped_at: step }
}

function placeOf(group: StepGroup, context: GroupContext, step: string) {
  return { host: context.host, service: group.service, step }
}
