import { ConvergeError } from '../errors/converge-error.ts'
import type { Action } from '../model/action.ts'
import type { ActionResult } from '../model/report.ts'
import type { StepGroup } from '../model/step.ts'
import { describeFailure, planAgain } from './describe-failure.ts'
import { type GroupContext, putBack, tidyUp } from './execute-group.ts'
import type { HostContext, ReadyAction } from './prepared-action.ts'
import { askChecks } from './run-step.ts'

/** A server that is down until its own start, and what was done meanwhile: nobody who was up stays down because a plan failed. */
interface TemporaryStop {
  readonly stop: ReadyAction
  /** Applied after it, in order, by whichever service. */
  readonly since: ReadyAction[]
}

/** The servers of a host that are down until their own start. */
export interface TemporaryStops {
  /** Services that are down now. */
  services(): readonly string[]
  /** The group as it is done now: while somebody is down, what the rollback needs is not tidied away. */
  asDone(ready: ReadyAction): StepGroup
  /** An action was applied: its server may be down for a while from now on. */
  applied(ready: ReadyAction): void
  /** A server is up again, whoever started it; what could not be tidied up. */
  isBack(service: string): Promise<readonly string[]>
  /**
   * Has a server run again as it did, and tells what became of the actions that were done for its sake.
   *
   * @param stuck why that is not possible: what it would be started from is not as it was
   */
  bringBack(service: string, why: string, stuck?: string): Promise<readonly Change[]>
}

/** What an earlier result has become. */
export interface Change {
  readonly action: string
  readonly now: Pick<ActionResult, 'status' | 'problem' | 'undone' | 'left'>
}

export function createTemporaryStops(context: HostContext): TemporaryStops {
  let open: readonly TemporaryStop[] = []
  const untidy = new Set<ReadyAction>()
  const placed = ({ action }: ReadyAction): GroupContext => {
    const place = { service: action.service, action: action.id }
    return { ...context, written: { journal: context.journal, place } }
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
      const note = stuck === undefined ? `${service} is brought back as it was: ${why}` : `${service} stays down: ${why}`
      context.emit({ type: 'host-note', host: context.host, note })
      const changes = await takenBack(stopped, why, stuck, undo)
      for (const ready of untidy) if (changes.some(({ action }) => action === ready.action.id)) untidy.delete(ready)
      if (open.length === 0) await tidied(untidy, placed)
      return changes
    },
  }
}

/** Undefined: it is taken back; else where that stopped. */
async function undoOne({ action, group }: ReadyAction, context: GroupContext): Promise<string | undefined> {
  const { undo, room = [] } = group
  const step = 'check that nobody has its place'
  const taken = await askChecks(step, room, context)
  if (taken !== undefined)
    return `"${step}": ${describeFailure(taken, { host: context.host, service: action.service, step }).why}`
  if (undo.length > 0) return putBack(undo, group, context)
  return touches(action) ? `${action.kind} of ${action.service}, which cannot be rolled back safely.` : undefined
}

function touches({ interrupts, starts }: Action): boolean {
  return interrupts || starts
}

/** The last one first, and the old server at the end, unless somebody has its place who could not be sent away. */
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
    stuck ??= await undo(ready)
    changes.push({ action: ready.action.id, now: endingOf(ready.action, why, stuck) })
  }
  return changes
}

function endingOf(action: Action, why: string, stuck: string | undefined): Change['now'] {
  const problem = new ConvergeError('APPLY.TAKEN_BACK', {
    summary:
      stuck === undefined
        ? 'It was done, and taken back, because what it was part of could not be finished.'
        : 'What it was part of could not be finished, and it could not be taken back.',
    why: `On ${action.host}, for service ${action.service}: ${why}.${stuck === undefined ? '' : ` Taking it back stopped at ${stuck}`}`,
    next: [planAgain(action)],
  }).toProblem()
  return stuck === undefined
    ? { status: 'failed', problem, undone: 'restored', left: 'as it was before this plan' }
    : { status: 'failed', problem, undone: 'failed' }
}

/** What was put off while somebody was down; what cannot be taken away is said. */
async function tidied(untidy: Set<ReadyAction>, placed: (ready: ReadyAction) => GroupContext): Promise<readonly string[]> {
  const left: string[] = []
  for (const ready of untidy) {
    const ending = await tidyUp(ready.group, placed(ready))
    if (ending.left !== undefined) left.push(ending.left)
  }
  untidy.clear()
  return left
}
