import { ConvergeError } from '../errors/converge-error.ts'
import { defined } from '../lib/defined.ts'
import { keepOnce } from '../managers/previous-copy.ts'
import type { Problem } from '../model/plan.ts'
import type { ActionResult } from '../model/report.ts'
import { type RollbackTimer, rollbackAfterS } from '../model/rollback-timer.ts'
import type { Step, StepGroup } from '../model/step.ts'
import type { Transport } from '../transports/transport.ts'
import { describeFailure, planAgain } from './describe-failure.ts'
import { poll } from './poll.ts'
import {
  armStep,
  askTimer,
  askWhenOver,
  type CalledOff,
  callOff,
  callOffAnew,
  lastOfUndo,
  type TimerOrder,
  telling,
  undoAlone,
} from './rollback-timer.ts'
import { runStep, type StepContext } from './run-step.ts'
import type { StepFailure } from './step-failure.ts'

/** How an action ended. */
export type Ending = Omit<ActionResult, 'action' | 'ms' | 'done'>

/**
 * The rollback of one action that replaces a running Kind A, left on its host for when converge is gone: armed before anything is done,
 * called off only when the new server is proved and the host could be reached anew, or when everything is back already.
 */
export interface HostGuard {
  /** What kept it from being left there; nothing is done without it. */
  arm(context: StepContext): Promise<{ readonly step: string; readonly failure: StepFailure } | undefined>
  /** The group as it is done meanwhile. */
  asDone(group: StepGroup): StepGroup
  /** Called after the proof; how the action ended where it could not be confirmed. */
  confirm(context: StepContext): Promise<Ending | undefined>
  /** Called at the end, whatever it was; the ending with what the host does about it. */
  standDown(ending: Ending, context: StepContext): Promise<Ending>
  /** The host may still put it back. */
  isArmed(): boolean
}

export interface GuardOrder extends Omit<TimerOrder, 'undo'> {
  readonly host: string
  readonly undo: readonly Step[]
  /** A new connection to the host. */
  readonly reconnect: () => Promise<Transport>
}

type Unguided = Omit<GuardOrder, 'undo' | 'steps'>

/** For how long a new connection is tried for. */
const reconnectMs = 60_000
/** Longer than a rollback that is going on takes. */
const actingMs = 15 * 60_000
const mayStillAct: readonly RollbackTimer['state'][] = ['armed', 'acting']

/** Undefined: there is no rollback that the host can do alone. */
export function createHostGuard(order: GuardOrder): HostGuard | undefined {
  const alone = undoAlone(order.undo)
  return alone === undefined ? undefined : guardOf({ ...order, undo: alone })
}

/**
 * What an earlier run left there goes on guarding the service while this run replaces it once more: it leads back to the server that was proved
 * last. Only what is proved now calls it off.
 */
export function adoptGuard(order: Unguided): HostGuard {
  const guard = guardOf({ ...order, steps: [], undo: [] }, true)
  return {
    ...guard,
    arm: async () => undefined,
    asDone: (group) => ({ ...group, steps: telling(group.steps.map(keepOnce), order) }),
    standDown: (ending, context) =>
      guard.leave(ending.undone === 'restored' ? { ...ending, left: backToUnproved } : ending, context),
  }
}

interface LeavingGuard extends HostGuard {
  /** The ending with what the host does about it, without calling it off. */
  readonly leave: (ending: Ending, context: StepContext) => Promise<Ending>
}

function guardOf(order: Unguided & Pick<TimerOrder, 'undo' | 'steps'>, already = false): LeavingGuard {
  let armed = already
  const heard = (answer: CalledOff): CalledOff => {
    armed = answer.kind === 'unknown' || (answer.kind === 'not-off' && mayStillAct.includes(answer.state))
    return answer
  }
  const leave: LeavingGuard['leave'] = async (ending, { signal: _signal, ...context }) =>
    armed ? leftToHost(ending, heard(await askTimer(order, context)), order) : ending
  return {
    leave,
    asDone: (group) => ({ ...group, steps: telling(group.steps, order), undo: lastOfUndo(group.undo, order) }),
    isArmed: () => armed,
    arm: async (context) => {
      const step = armStep(order, context.nonce)
      const failure = await runStep(step, context)
      armed = failure === undefined || failure.kind === 'in-doubt'
      return failure === undefined ? undefined : { step: step.label, failure }
    },
    confirm: async (context) => {
      const answer = heard(await confirmAnew(order, context))
      return answer.kind === 'off' ? undefined : notConfirmed(order, answer)
    },
    standDown: async (ending, { signal: _signal, ...context }) => {
      if (!armed) return ending
      if (!isOver(ending)) return leave(ending, context)
      const first = await callOff(order, context)
      const last = heard(first.kind === 'unknown' ? await callOffAnew(order, context, order.reconnect) : first)
      return last.kind === 'unknown' ? withLeft(ending, `the host may put it back once more${whenWords(order)}`) : ending
    },
  }
}

const backToUnproved = 'as it was before this action, which is as an earlier run left it unproved'

/** Nothing that would have to be put back was done, or all of it is back. */
function isOver({ status, undone }: Ending): boolean {
  return undone === 'restored' || undone === 'not-needed' || (status === 'not-run' && undone === undefined)
}

async function confirmAnew(order: Unguided, context: StepContext): Promise<CalledOff> {
  const tried: CalledOff[] = []
  const attempt = async (): Promise<CalledOff | undefined> => {
    const answer = await callOffAnew(order, context, order.reconnect)
    tried.push(answer)
    return answer.kind === 'unknown' ? undefined : answer
  }
  const { clock, signal } = context
  await poll(attempt, { timeoutMs: reconnectMs, clock, ...defined({ signal }) })
  const last = tried.at(-1) ?? { kind: 'unknown', failure: { kind: 'interrupted' } }
  if (last.kind !== 'not-off' || last.state !== 'acting') return last
  const over = await askWhenOver(order, context, actingMs)
  // It left it to somebody who is alive, and that may be us.
  return over.kind === 'not-off' && over.state === 'armed' ? callOffAnew(order, context, order.reconnect) : over
}

function notConfirmed(order: Unguided, answer: Exclude<CalledOff, { readonly kind: 'off' }>): Ending {
  const { host, service } = order
  const where = `On ${host}, for service ${service}`
  const problem = (why: string): Problem =>
    new ConvergeError('APPLY.NOT_CONFIRMED', {
      summary: 'The rollback timer of the new server could not be disarmed.',
      why: `${where}: ${why}`,
      next: [planAgain({ host })],
    }).toProblem()
  if (answer.kind === 'unknown') {
    const { failure } = answer
    const because =
      failure.kind === 'interrupted'
        ? 'the run was interrupted'
        : (failure.kind === 'in-doubt' && failure.connection?.why) ||
          describeFailure(failure, { ...order, step: 'confirm it' }).why
    const why = `it works, but over a new connection nobody could say so: ${because}`
    return { status: 'failed', problem: problem(why), undone: 'left-to-host', left: leftWords(order) }
  }
  if (answer.state === 'undone')
    return {
      status: 'failed',
      problem: problem('this run gave no sign of life for too long, so the host restored the previous server by itself.'),
      undone: 'restored',
      left: 'as it was before this action',
    }
  if (answer.state === 'failed') {
    const why = 'this run gave no sign of life for too long, so the host tried to restore the previous server, and could not.'
    return { status: 'failed', problem: problem(why), undone: 'failed' }
  }
  if (answer.state === 'spared') {
    const why = `this run gave no sign of life for too long, and then the host put nothing back, because ${sparedWords}.`
    return { status: 'failed', problem: problem(why), undone: 'not-possible', left: 'as somebody else left it' }
  }
  const why = "the lock on the host is not this run's any more, so it may not say so."
  return { status: 'failed', problem: problem(why), undone: 'left-to-host', left: leftWords(order) }
}

/** This run does not put it back, and the host has its own rollback. */
function leftToHost(ending: Ending, answer: CalledOff, order: Unguided): Ending {
  if (answer.kind === 'off') return ending
  if (answer.kind === 'not-off' && answer.state === 'undone')
    return { ...ending, undone: 'restored', left: 'the host put the server before it back by itself' }
  if (answer.kind === 'not-off' && answer.state === 'failed')
    return withLeft(ending, 'the host tried to put it back by itself, and could not')
  if (answer.kind === 'not-off' && answer.state === 'spared')
    return withLeft(ending, `the host put nothing back by itself, because ${sparedWords}`)
  const told = withLeft(ending, leftWords(order))
  return ending.status === 'failed' && ending.undone !== 'failed' ? { ...told, undone: 'left-to-host' } : told
}

const sparedWords = 'somebody else had changed the files that this run wrote'

function withLeft(ending: Ending, words: string): Ending {
  return { ...ending, left: [ending.left, words].filter((one) => one !== undefined).join('; ') }
}

function leftWords(order: Unguided): string {
  return `the host puts the previous server back by itself${whenWords(order)}, unless converge apply proves the new one before`
}

function whenWords({ patienceS = rollbackAfterS }: Unguided): string {
  return ` ${patienceS} s after the last sign of life`
}
