import { ConvergeError } from '../errors/converge-error.ts'
import type { Action } from '../model/action.ts'
import type { ActionResult } from '../model/report.ts'
import type { StepGroup } from '../model/step.ts'
import { describeFailure, planAgain } from './describe-failure.ts'
import { type GroupContext, runUndo, tidyUp } from './execute-group.ts'
import type { HostContext, ReadyAction } from './prepared-action.ts'
import { askChecks } from './run-step.ts'

/** A temporarily stopped server, and what was done meanwhile: no server that was up stays down because a plan failed. */
interface TemporaryStop {
  readonly stop: ReadyAction
  /** Actions of any service applied after the stop, in order. */
  readonly since: ReadyAction[]
}

/** The temporarily stopped servers of a host. */
export interface TemporaryStops {
  /** Services that are down now. */
  services(): readonly string[]
  /** The step group to run now: without cleanup while a server is down, because a rollback needs its backups. */
  asDone(ready: ReadyAction): StepGroup
  /** An action was applied; it may be a temporary stop. */
  applied(ready: ReadyAction): void
  /** A server is up again. Returns what could not be cleaned up. */
  isBack(service: string): Promise<readonly string[]>
  /**
   * Restores a stopped server, undoes the actions that needed its stop, and returns their new results.
   *
   * @param stuck the sentence why that is impossible: the definition it would start from has changed
   */
  bringBack(service: string, why: string, stuck?: string): Promise<readonly Change[]>
}

/** The corrected result of an earlier action. */
export interface Change {
  readonly action: string
  readonly now: Pick<ActionResult, 'status' | 'problem' | 'undone' | 'left'>
}

export function createTemporaryStops(context: HostContext): TemporaryStops {
  let open: readonly TemporaryStop[] = []
  const untidy = new Set<ReadyAction>()
  const placed = ({ action }: ReadyAction): GroupContext => {
    const subject = { service: action.service, action: action.id }
    return { ...context, written: { journal: context.journal, subject } }
  }
  const undo = (ready: ReadyAction) => undoOne(ready, placed(ready))
  return {
    services: () => open.map(({ stop }) => stop.action.service),
    asDone: ({ action, group }) => (open.length > 0 || action.temporary !== undefined ? { ...group, cleanup: [] } : group),
    applied: (ready) => {
      for (const stopped of open) stopped.since.push(ready)
      if (ready.action.temporary !== undefined) open = [...open, { stop: ready, since: [] }]
      if (open.length > 0) untidy.add(ready)
    },
    isBack: async (service) => {
      open = open.filter(({ stop }) => stop.action.service !== service)
      return open.length > 0 ? [] : tidied(untidy, placed)
    },
    bringBack: async (service, why, stuck) => {
      const stopped = open.find(({ stop }) => stop.action.service === service)
      if (stopped === undefined) return []
      open = open.filter((one) => one !== stopped)
      const note = stuck === undefined ? `restoring ${service} as it was: ${why}` : `${service} stays down: ${why}`
      context.emit({ type: 'host-note', host: context.host, note })
      const changes = await takenBack(stopped, why, stuck, undo)
      for (const ready of untidy) if (changes.some(({ action }) => action === ready.action.id)) untidy.delete(ready)
      if (open.length === 0) await tidied(untidy, placed)
      return changes
    },
  }
}

/** Undefined: undone; otherwise where the undo stopped. */
async function undoOne({ action, group }: ReadyAction, context: GroupContext): Promise<string | undefined> {
  const { undo, room = [] } = group
  const step = 'check that its port and memory are free'
  const taken = await askChecks(step, room, context)
  if (taken !== undefined)
    return `"${step}": ${describeFailure(taken, { host: context.host, service: action.service, step }).why}`
  if (undo.length > 0) return runUndo(undo, group, context)
  return touches(action) ? `${action.kind} of ${action.service}, which cannot be rolled back safely.` : undefined
}

function touches({ interrupts, starts }: Action): boolean {
  return interrupts || starts
}

/** Undoes the last action first and starts the old server at the end, unless another server still takes its place. */
async function takenBack(
  { stop, since }: TemporaryStop,
  why: string,
  hindrance: string | undefined,
  undo: (ready: ReadyAction) => Promise<string | undefined>,
): Promise<readonly Change[]> {
  const { service, temporary } = stop.action
  const changes: Change[] = []
  let stuck = hindrance
  const concerned = since.filter(
    ({ action }) => action.service === service || temporary?.makes_room_for.includes(action.id) === true,
  )
  for (const ready of [...concerned.toReversed(), stop]) {
    const { action } = ready
    if (stuck !== undefined) changes.push({ action: action.id, now: notRolledBack(action, `${why}. ${stuck}`) })
    else {
      const at = await undo(ready)
      const now = at === undefined ? rolledBack(action, why) : notRolledBack(action, `${why}. The rollback stopped at ${at}`)
      changes.push({ action: action.id, now })
      if (at !== undefined)
        stuck = `This action was not undone, because the rollback of "${action.kind} ${action.service}" failed first.`
    }
  }
  return changes
}

function rolledBack(action: Action, why: string): Change['now'] {
  const problem = new ConvergeError('APPLY.TAKEN_BACK', {
    summary: 'The action was rolled back, because a later action that it depends on failed.',
    why: `On ${action.host}, for service ${action.service}: ${why}.`,
    next: [planAgain(action)],
  }).toProblem()
  return { status: 'failed', problem, undone: 'restored' }
}

function notRolledBack(action: Action, why: string): Change['now'] {
  const problem = new ConvergeError('APPLY.ROLLBACK_FAILED', {
    summary: 'A later action failed, and this action could not be rolled back.',
    why: `On ${action.host}, for service ${action.service}: ${why}`,
    next: [planAgain(action)],
  }).toProblem()
  return { status: 'failed', problem, undone: 'failed' }
}

/** Runs the cleanup that was postponed while a server was down. Returns what could not be cleaned up. */
async function tidied(untidy: Set<ReadyAction>, placed: (ready: ReadyAction) => GroupContext): Promise<readonly string[]> {
  const left: string[] = []
  for (const ready of untidy) {
    const ending = await tidyUp(ready.group, placed(ready))
    if (ending.left !== undefined) left.push(ending.left)
  }
  untidy.clear()
  return left
}
