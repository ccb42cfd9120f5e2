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
import { tellingTimer, watchedFiles } from './rollback-timer-files.ts'
import {
  actNowScript,
  armScript,
  callOffScript,
  forgetScript,
  goBackFunction,
  noneWaitsScript,
  notInStateScript,
  timerFunctions,
} from './rollback-timer-scripts.ts'
import { askChecks, runStep, type StepContext } from './run-step.ts'
import type { StepFailure } from './step-failure.ts'

/** Which timer of a host it is about. */
export interface TimerPlace {
  /** Converge's folder on the host, absolute. */
  readonly root: string
  /** Letters and digits, new for every timer. */
  readonly id: string
}

export interface TimerOrder extends TimerPlace, Pick<RollbackTimer, 'service' | 'runId' | 'owner' | 'controller'> {
  /** What the run is about to send: what is neither as it was nor as these leave it is somebody else's, and is left alone. */
  readonly steps: readonly Step[]
  /** What is done when nobody gives a sign of life. */
  readonly undo: readonly (RunStep | DeleteStep)[]
  /** Seconds of silence; absent: `rollbackAfterS`. */
  readonly patienceS?: number
}

/** What is known of a timer that was to be called off. */
export type CalledOff =
  | { readonly kind: 'off' }
  /** It was faster, or its process is gone: in which state it is. */
  | { readonly kind: 'not-off'; readonly state: RollbackTimer['state'] }
  /** Nobody heard. */
  | { readonly kind: 'unknown'; readonly failure: StepFailure }

const minuteMs = 60_000
/** Seconds for one rollback beyond what its steps may take. */
const patientS = 10

/** The rollback as the host can do it alone; undefined: it cannot, because something of it would have to be brought. */
export function undoAlone(undo: readonly Step[]): readonly (RunStep | DeleteStep)[] | undefined {
  const alone = undo.filter((step) => step.do === 'run' || step.do === 'delete')
  return alone.length === undo.length && alone.some(({ server }) => server) ? alone : undefined
}

/** Leaves the timer on the host and starts it. */
export function armStep(order: TimerOrder, nonce: () => string): RunStep {
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

/** The steps of a run as they are sent while the timer waits: it is told what they write. */
export function telling(steps: readonly Step[], { root, id }: TimerPlace): readonly Step[] {
  return steps.map((step) => tellingTimer(step, posix.join(baseOf(root), `${id}.armed`)))
}

/** The last step of a rollback by the controller: once it is done, the host has nothing left to do, whoever hears of it. */
export function lastOfUndo(undo: readonly Step[], { root, id }: TimerPlace): readonly Step[] {
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

/** Calls it off, over whatever connection the context has. */
export async function callOff(place: TimerPlace, context: StepContext): Promise<CalledOff> {
  const step: Step = {
    do: 'run',
    label: bookkeepingLabels.disarmTimer,
    guards: [],
    script: callOffScript,
    args: [baseOf(place.root), place.id],
    timeoutMs: minuteMs,
  }
  const failure = await runStep(step, context)
  if (failure === undefined) return { kind: 'off' }
  return failure.kind === 'exit' || failure.kind === 'lock-lost' ? askTimer(place, context) : { kind: 'unknown', failure }
}

/** As `callOff`, over a connection of its own: what was replaced is confirmed only by who can still reach the host anew. */
export async function callOffAnew(
  place: TimerPlace,
  context: StepContext,
  reconnect: () => Promise<Transport>,
): Promise<CalledOff> {
  try {
    const transport = await reconnect()
    try {
      return await callOff(place, { ...context, transport })
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

/** In which state it is; one that is in none was called off. */
export async function askTimer(place: TimerPlace, context: StepContext): Promise<CalledOff> {
  const checks = states.map((state) => ({ state, check: notInState(place, state) }))
  const failure = await askChecks(
    'ask the host what it put back',
    checks.map(({ check }) => check),
    context.fence === undefined ? context : unfenced(context),
  )
  if (failure === undefined) return { kind: 'off' }
  const found = failure.kind === 'guard' ? checks.find(({ check }) => check === failure.check) : undefined
  return found === undefined ? { kind: 'unknown', failure } : { kind: 'not-off', state: found.state }
}

/** Waits until what has begun to act is over. */
export async function askWhenOver(place: TimerPlace, context: StepContext, timeoutMs: number): Promise<CalledOff> {
  let last: CalledOff = { kind: 'unknown', failure: { kind: 'interrupted' } }
  const look = async (): Promise<CalledOff | undefined> => {
    last = await askTimer(place, context)
    return last.kind === 'not-off' && (last.state === 'armed' || last.state === 'acting') ? undefined : last
  }
  const { clock, signal } = context
  const polled = await poll(look, { timeoutMs, clock, ...defined({ signal }) })
  return polled.ended === 'answered' ? polled.value : last
}

/** Has a timer act now. */
export function actNowStep({ root, id }: TimerPlace, service: string): RunStep {
  return {
    do: 'run',
    label: `tell the host to roll back ${service}`,
    guards: [],
    script: actNowScript,
    args: [baseOf(root), id],
    timeoutMs: minuteMs,
  }
}

/** Takes away what tells of timers that acted. */
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

export function noneWaits(root: string): Check {
  return { label: 'no rollback timer is armed on the host', script: noneWaitsScript, args: [baseOf(root)] }
}

const states = ['armed', 'acting', 'undone', 'failed', 'spared'] as const

function notInState({ root, id }: TimerPlace, state: string): Check {
  return { label: `it is not ${state}`, script: notInStateScript, args: [baseOf(root), id, state] }
}

function unfenced({ fence: _fence, ...context }: StepContext): StepContext {
  return context
}

function baseOf(root: string): string {
  return posix.join(root, 'deadman')
}

/** Whole in itself, so that it can be started again. As every script that travels, it does nothing where it is cut short. */
function timerText({ root, id, undo, steps }: TimerOrder, nonce: () => string): string {
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
