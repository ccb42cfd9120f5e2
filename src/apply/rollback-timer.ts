import { posix } from 'node:path'
import { ConvergeError } from '../errors/converge-error.ts'
import { defined } from '../lib/defined.ts'
import { shellQuote } from '../lib/shell-quote.ts'
import { stableJson } from '../lib/stable-json.ts'
import { bookkeepingLabels } from '../model/bookkeeping.ts'
import { type RollbackTimer, rollbackAfterS } from '../model/rollback-timer.ts'
import type { Check, DeleteStep, RunStep, Step } from '../model/step.ts'
import type { Transport } from '../transports/transport.ts'
import { deleteAct, deleteFunctions } from './file-scripts.ts'
import { folderOf } from './lock-words.ts'
import { poll } from './poll.ts'
import { define, guardedScript } from './remote-script.ts'
import { announcingStep, watchedFiles } from './rollback-timer-files.ts'
import {
  actNowScript,
  armScript,
  disarmScript,
  forgetScript,
  goBackFunction,
  noneWaitsScript,
  notInStateScript,
  timerFunctions,
} from './rollback-timer-scripts.ts'
import { askChecks, runStep, type StepContext } from './run-step.ts'
import type { StepFailure } from './step-failure.ts'

/** Which timer of a host. */
export interface TimerRef {
  /** Converge's folder on the host, absolute. */
  readonly root: string
  /** Letters and digits, new for every timer. */
  readonly id: string
}

export interface TimerSpec extends TimerRef, Pick<RollbackTimer, 'service' | 'runId' | 'owner' | 'controller'> {
  /** The steps the run will send. A file that matches neither its old content nor theirs was changed by someone else. */
  readonly steps: readonly Step[]
  /** The rollback to run when no heartbeat arrives. */
  readonly undo: readonly (RunStep | DeleteStep)[]
  /** Seconds of silence; absent: `rollbackAfterS`. */
  readonly patienceS?: number
}

/** The result of disarming a timer. */
export type DisarmResult =
  | { readonly kind: 'off' }
  /** It already acted or acts, or its process is gone: its state. */
  | { readonly kind: 'not-off'; readonly state: RollbackTimer['state'] }
  /** No answer arrived. */
  | { readonly kind: 'unknown'; readonly failure: StepFailure }

const minuteMs = 60_000
/** Seconds for one rollback beyond the timeouts of its steps. */
const patientS = 10

/** The rollback that the host can run alone; undefined: it cannot, because a file would have to be sent. */
export function undoForHost(undo: readonly Step[]): readonly (RunStep | DeleteStep)[] | undefined {
  const alone = undo.filter((step) => step.do === 'run' || step.do === 'delete')
  return alone.length === undo.length && alone.some(({ server }) => server) ? alone : undefined
}

/** Creates the timer on the host and starts it. */
export function armStep(order: TimerSpec, nonce: () => string): RunStep {
  const { root, id, service, runId, owner, controller, patienceS = rollbackAfterS } = order
  const about = stableJson({ service, runId, owner, controller })
  const { paths, deleted } = watchedFiles(order.steps)
  const gone = deleted.map((path) => `none ${path}\n`).join('')
  return {
    do: 'run',
    label: bookkeepingLabels.armTimer(service),
    guards: [],
    script: armScript,
    args: [baseOf(root), id, timerText(order, nonce), about, String(patienceS), gone, ...paths],
    timeoutMs: minuteMs,
  }
}

/** The steps of a run as sent while the timer is armed: they announce what they write. */
export function announcing(steps: readonly Step[], { root, id }: TimerRef): readonly Step[] {
  return steps.map((step) => announcingStep(step, posix.join(baseOf(root), `${id}.armed`)))
}

/** A rollback by the controller whose last step also disarms the timer, even if its answer gets lost. */
export function disarmingUndo(undo: readonly Step[], { root, id }: TimerRef): readonly Step[] {
  const last = undo.at(-1)
  if (last?.do !== 'run') return undo
  const script = `timers=$1 id=$2
shift 2
(
${last.script}
) || exit
if mv "$timers/$id.armed" "$timers/$id.off" 2>/dev/null; then rm -rf "$timers/$id.off"; fi
:`
  return [...undo.slice(0, -1), { ...last, script, args: [baseOf(root), id, ...last.args] }]
}

/** Disarms a timer over the connection of the context. */
export async function disarm(timer: TimerRef, context: StepContext): Promise<DisarmResult> {
  const step: Step = {
    do: 'run',
    label: bookkeepingLabels.disarmTimer,
    guards: [],
    script: disarmScript,
    args: [baseOf(timer.root), timer.id],
    timeoutMs: minuteMs,
  }
  const failure = await runStep(step, context)
  if (failure === undefined) return { kind: 'off' }
  return failure.kind === 'exit' || failure.kind === 'lock-lost' ? askTimer(timer, context) : { kind: 'unknown', failure }
}

/** As `disarm`, over a new connection: a replacement is confirmed only if the host can still be reached. */
export async function disarmOverNewConnection(
  timer: TimerRef,
  context: StepContext,
  reconnect: () => Promise<Transport>,
): Promise<DisarmResult> {
  try {
    const transport = await reconnect()
    try {
      return await disarm(timer, { ...context, transport })
    } finally {
      await transport.close()
    }
  } catch (error) {
    if (!(error instanceof ConvergeError)) {
      if (context.signal?.aborted === true) return { kind: 'unknown', failure: { kind: 'interrupted' } }
      throw error
    }
    const connection = error.toProblem()
    return { kind: 'unknown', failure: { kind: 'in-doubt', why: 'there was no new connection', said: '', connection } }
  }
}

/** The state of a timer; one in no state was disarmed. */
export async function askTimer(timer: TimerRef, context: StepContext): Promise<DisarmResult> {
  const checks = states.map((state) => ({ state, check: notInState(timer, state) }))
  const failure = await askChecks(
    'ask the host for the state of the rollback timer',
    checks.map(({ check }) => check),
    context.fence === undefined ? context : unfenced(context),
  )
  if (failure === undefined) return { kind: 'off' }
  const found = failure.kind === 'guard' ? checks.find(({ check }) => check === failure.check) : undefined
  return found === undefined ? { kind: 'unknown', failure } : { kind: 'not-off', state: found.state }
}

/** Waits until a timer that is acting has finished. */
export async function waitForTimer(timer: TimerRef, context: StepContext, timeoutMs: number): Promise<DisarmResult> {
  let last: DisarmResult = { kind: 'unknown', failure: { kind: 'interrupted' } }
  const look = async (): Promise<DisarmResult | undefined> => {
    last = await askTimer(timer, context)
    return last.kind === 'not-off' && (last.state === 'armed' || last.state === 'acting') ? undefined : last
  }
  const { clock, signal } = context
  const polled = await poll(look, { timeoutMs, clock, ...defined({ signal }) })
  return polled.ended === 'answered' ? polled.value : last
}

/** Orders a timer to act now. */
export function actNowStep({ root, id }: TimerRef, service: string): RunStep {
  return {
    do: 'run',
    label: `order the host to roll back ${service}`,
    guards: [],
    script: actNowScript,
    args: [baseOf(root), id],
    timeoutMs: minuteMs,
  }
}

/** Deletes the folders of timers that acted. */
export function forgetTimersStep(root: string, ids: readonly string[]): RunStep {
  return {
    do: 'run',
    label: 'delete the record of the rollback',
    guards: [],
    script: forgetScript,
    args: [baseOf(root), ...ids],
    timeoutMs: minuteMs,
  }
}

export function noTimerArmed(root: string): Check {
  return { label: 'no rollback timer is armed on the host', script: noneWaitsScript, args: [baseOf(root)] }
}

const states = ['armed', 'acting', 'undone', 'failed', 'spared'] as const

function notInState({ root, id }: TimerRef, state: string): Check {
  return { label: `it is not ${state}`, script: notInStateScript, args: [baseOf(root), id, state] }
}

function unfenced({ fence: _fence, ...context }: StepContext): StepContext {
  return context
}

function baseOf(root: string): string {
  return posix.join(root, 'deadman')
}

/** Self-contained, so that it can be started again. Like every script that is sent, it does nothing when it is truncated. */
function timerText({ root, id, undo, steps }: TimerSpec, nonce: () => string): string {
  const limitS = undo.reduce((sum, step) => sum + timeoutOf(step) / 1000, patientS)
  const scripts = undo.map((step) => guardedScript({ ...bodyOf(step), guards: step.guards, nonce: nonce() }))
  const functions = scripts.map(({ text }, index) => define(`undo_${index + 1}`, `(\n${text.map(plain).join('')})`))
  const calls = scripts.map(
    ({ label, args }, index) =>
      `undo_${index + 1} ${shellQuote(args)} </dev/null || { echo ${shellQuote([`it stopped at "${label}"`])}; exit 1; }`,
  )
  const waiting = [baseOf(root), id, folderOf({ root }), String(Math.ceil(limitS))]
  const watched = [baseOf(root), id, ...watchedFiles(steps).paths]
  return [
    '#!/bin/sh',
    'LC_ALL=C; export LC_ALL',
    timerFunctions,
    goBackFunction,
    ...functions,
    define('undo', calls.join('\n')),
    `{ case \${1:-} in undo) go_back ${shellQuote(watched)} ;; *) wait_for_silence ${shellQuote(waiting)} ;; esac; exit; }`,
    '',
  ].join('\n')
}

function timeoutOf(step: RunStep | DeleteStep): number {
  return step.do === 'run' ? step.timeoutMs : minuteMs
}

function bodyOf(step: RunStep | DeleteStep) {
  const { label } = step
  const timeoutMs = timeoutOf(step)
  if (step.do === 'run') return { label, functions: [], act: step.script, args: step.args, timeoutMs }
  return { label, functions: [deleteFunctions], act: deleteAct, args: [step.path], timeoutMs }
}

function plain(piece: unknown): string {
  return String(piece)
}
