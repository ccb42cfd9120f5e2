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
  announcing,
  armStep,
  askTimer,
  type DisarmResult,
  disarm,
  disarmingUndo,
  disarmOverNewConnection,
  type TimerSpec,
  undoForHost,
  waitForTimer,
} from './rollback-timer.ts'
import { runStep, type StepContext } from './run-step.ts'
import type { StepFailure } from './step-failure.ts'

/** How an action ended. */
export type Ending = Omit<ActionResult, 'action' | 'ms' | 'done'>

/**
 * The rollback of one action that replaces a running Kind A, left on its host in case converge disappears. It is armed before any
 * change. It is disarmed only when the new server is proved and a new connection works, or when everything is already restored.
 */
export interface HostGuard {
  /** Why it could not be armed; the action is not run without it. */
  arm(context: StepContext): Promise<{ readonly step: string; readonly failure: StepFailure } | undefined>
  /** The step group to run while the timer is armed. */
  asDone(group: StepGroup): StepGroup
  /** Called after the proof. Returns how the action ended if it could not be confirmed. */
  confirm(context: StepContext): Promise<Ending | undefined>
  /** Always called at the end. Adds to the ending what the host will do. */
  finish(ending: Ending, context: StepContext): Promise<Ending>
  /** The host may still roll back. */
  isArmed(): boolean
}

export interface GuardSpec extends Omit<TimerSpec, 'undo'> {
  readonly host: string
  readonly undo: readonly Step[]
  /** A new connection to the host. */
  readonly reconnect: () => Promise<Transport>
}

type GuardTarget = Omit<GuardSpec, 'undo' | 'steps'>

/** How long to try for a new connection. */
const reconnectMs = 60_000
/** Longer than a rollback takes. */
const actingMs = 15 * 60_000
const mayStillAct: readonly RollbackTimer['state'][] = ['armed', 'acting']

/** Undefined: the host cannot roll back alone. */
export function createHostGuard(order: GuardSpec): HostGuard | undefined {
  const alone = undoForHost(order.undo)
  return alone === undefined ? undefined : guardOf({ ...order, undo: alone })
}

/**
 * A timer of an earlier run keeps guarding the service while this run replaces it again: it restores the server that was proved
 * last. Only a new proof disarms it.
 */
export function adoptGuard(order: GuardTarget): HostGuard {
  const guard = guardOf({ ...order, steps: [], undo: [] }, true)
  return {
    ...guard,
    arm: async () => undefined,
    asDone: (group) => ({ ...group, steps: announcing(group.steps.map(keepOnce), order) }),
    finish: (ending, context) =>
      guard.leaveArmed(ending.undone === 'restored' ? { ...ending, left: backToUnproved } : ending, context),
  }
}

interface ArmedGuard extends HostGuard {
  /** Adds to the ending what the host will do, and leaves the timer armed. */
  readonly leaveArmed: (ending: Ending, context: StepContext) => Promise<Ending>
}

function guardOf(order: GuardTarget & Pick<TimerSpec, 'undo' | 'steps'>, already = false): ArmedGuard {
  let armed = already
  const noteAnswer = (answer: DisarmResult): DisarmResult => {
    armed = answer.kind === 'unknown' || (answer.kind === 'not-off' && mayStillAct.includes(answer.state))
    return answer
  }
  const leaveArmed: ArmedGuard['leaveArmed'] = async (ending, { signal: _signal, ...context }) =>
    armed ? leftToHost(ending, noteAnswer(await askTimer(order, context)), order) : ending
  return {
    leaveArmed,
    asDone: (group) => ({ ...group, steps: announcing(group.steps, order), undo: disarmingUndo(group.undo, order) }),
    isArmed: () => armed,
    arm: async (context) => {
      const step = armStep(order, context.nonce)
      const failure = await runStep(step, context)
      armed = failure === undefined || failure.kind === 'in-doubt'
      return failure === undefined ? undefined : { step: step.label, failure }
    },
    confirm: async (context) => {
      const answer = noteAnswer(await confirmAnew(order, context))
      return answer.kind === 'off' ? undefined : notConfirmed(order, answer)
    },
    finish: async (ending, { signal: _signal, ...context }) => {
      if (!armed) return ending
      if (!isOver(ending)) return leaveArmed(ending, context)
      const first = await disarm(order, context)
      const last = noteAnswer(first.kind === 'unknown' ? await disarmOverNewConnection(order, context, order.reconnect) : first)
      return last.kind === 'unknown' ? withLeft(ending, `the host may roll back once more${whenWords(order)}`) : ending
    },
  }
}

const backToUnproved = 'as it was before this action: as an earlier run left it, untested'

/** Nothing needs a rollback, or all of it is already restored. */
function isOver({ status, undone }: Ending): boolean {
  return undone === 'restored' || undone === 'not-needed' || (status === 'not-run' && undone === undefined)
}

async function confirmAnew(order: GuardTarget, context: StepContext): Promise<DisarmResult> {
  const tried: DisarmResult[] = []
  const attempt = async (): Promise<DisarmResult | undefined> => {
    const answer = await disarmOverNewConnection(order, context, order.reconnect)
    tried.push(answer)
    return answer.kind === 'unknown' ? undefined : answer
  }
  const { clock, signal } = context
  await poll(attempt, { timeoutMs: reconnectMs, clock, ...defined({ signal }) })
  const last = tried.at(-1) ?? { kind: 'unknown', failure: { kind: 'interrupted' } }
  if (last.kind !== 'not-off' || last.state !== 'acting') return last
  const over = await waitForTimer(order, context, actingMs)
  // The timer saw a living holder of the lock and stepped back; that may be this run.
  return over.kind === 'not-off' && over.state === 'armed' ? disarmOverNewConnection(order, context, order.reconnect) : over
}

function notConfirmed(order: GuardTarget, answer: Exclude<DisarmResult, { readonly kind: 'off' }>): Ending {
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
    const why = `it works, but could not be confirmed over a new connection: ${because}`
    return { status: 'failed', problem: problem(why), undone: 'left-to-host', left: leftWords(order) }
  }
  if (answer.state === 'undone')
    return {
      status: 'failed',
      problem: problem('this run sent no heartbeat for too long, so the host restored the previous server.'),
      undone: 'restored',
    }
  if (answer.state === 'failed') {
    const why = 'this run sent no heartbeat for too long. The host tried to restore the previous server and failed.'
    return { status: 'failed', problem: problem(why), undone: 'failed' }
  }
  if (answer.state === 'spared') {
    const why = `this run sent no heartbeat for too long. The host did not roll back, because ${sparedWords}.`
    return { status: 'failed', problem: problem(why), undone: 'not-possible', left: 'as someone else left it' }
  }
  const why = 'this run no longer holds the lock on the host, so it cannot disarm the timer.'
  return { status: 'failed', problem: problem(why), undone: 'left-to-host', left: leftWords(order) }
}

/** This run does not roll back; the host has its own rollback. */
function leftToHost(ending: Ending, answer: DisarmResult, order: GuardTarget): Ending {
  if (answer.kind === 'off') return ending
  if (answer.kind === 'not-off' && answer.state === 'undone')
    return { ...ending, undone: 'restored', left: 'the host restored the previous server' }
  if (answer.kind === 'not-off' && answer.state === 'failed') return withLeft(ending, 'the host tried to roll back and failed')
  if (answer.kind === 'not-off' && answer.state === 'spared')
    return withLeft(ending, `the host did not roll back, because ${sparedWords}`)
  const result = withLeft(ending, leftWords(order))
  return ending.status === 'failed' && ending.undone !== 'failed' ? { ...result, undone: 'left-to-host' } : result
}

const sparedWords = 'someone else had changed the files that this run wrote'

function withLeft(ending: Ending, words: string): Ending {
  return { ...ending, left: [ending.left, words].filter((one) => one !== undefined).join('; ') }
}

function leftWords(order: GuardTarget): string {
  return `the host restores the previous server${whenWords(order)}, unless converge apply tests the new one first`
}

function whenWords({ patienceS = rollbackAfterS }: GuardTarget): string {
  return ` ${patienceS} s after the last heartbeat`
}
