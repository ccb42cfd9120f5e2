import { assertNever } from '../errors/assert-never.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { defined } from '../lib/defined.ts'
import type { SecretText } from '../model/secret.ts'
import type { Check, DeleteStep, PutStep, RunStep, Step, WaitStep } from '../model/step.ts'
import type { Clock } from '../time/clock.ts'
import type { Script } from '../transports/script.ts'
import type { Transport } from '../transports/transport.ts'
import type { Watch } from '../transports/watch.ts'
import type { AuditEntry } from './audit-log.ts'
import { deleteAct, deleteFunctions, onlyInPlaceOf, putAct, putFunctions, rehearseAct } from './file-scripts.ts'
import { poll } from './poll.ts'
import { define, type GuardedScript, guardedScript, type Outcome, readOutcome } from './remote-script.ts'
import type { StepFailure } from './step-failure.ts'
import type { StepJournal, StepSubject } from './step-journal.ts'

export interface StepContext {
  readonly transport: Transport
  readonly clock: Clock
  /** Unguessable strings for marks and here-document ends: letters and digits only. */
  readonly nonce: () => string
  /** Checks that this run still holds the lock, first in every script that acts; absent only where there is no lock. */
  readonly fence?: Check
  /** Ends a script that acts when the lock is lost while it runs. */
  readonly watch?: Watch
  readonly signal?: AbortSignal
  /** Aborted to kill running commands on the host. */
  readonly force?: AbortSignal
  /** Where steps are journalled, and what they belong to; absent only where there is no run. */
  readonly written?: { readonly journal: StepJournal; readonly subject: StepSubject }
  /** Receives what a step could not determine. */
  readonly onNote?: (note: string) => void
  /** The step is part of a rollback. */
  readonly undoing?: true
}

/** With the entry that the step's script writes to the log on the host. */
interface AuditedContext extends StepContext {
  readonly audit?: AuditEntry
}

const fileTimeoutMs = 120_000
const checkTimeoutMs = 30_000

/**
 * Journals the intent, runs the step, and journals its outcome. Undefined: the step succeeded. Waiting changes nothing and is not
 * journalled. Throws only for a bug.
 */
export async function runStep(step: Step, context: StepContext): Promise<StepFailure | undefined> {
  const { written, undoing } = context
  if (written === undefined || step.do === 'wait') return doStep(step, context)
  const intent = await written.journal.intend(step, written.subject, { effort: undoing === true })
  if ('kind' in intent) return intent
  const failure = await doStep(step, { ...context, audit: intent.audit })
  intent.ended(failure)
  return failure
}

async function doStep(step: Step, context: AuditedContext): Promise<StepFailure | undefined> {
  switch (step.do) {
    case 'run':
      return runScript(step, context)
    case 'put':
      return putFile(step, context)
    case 'delete':
      return deleteFile(step, context)
    case 'wait':
      return waitUntil(step, context)
    default:
      return assertNever(step)
  }
}

/** For commands that change nothing: the first interrupt may end them too. */
export function endedByAnyInterrupt<T extends Pick<StepContext, 'signal' | 'force'>>(context: T): T {
  return { ...context, force: AbortSignal.any([context.signal, context.force].filter((one) => one !== undefined)) }
}

/** Runs all checks in one command. Returns the first that fails, or undefined. */
export async function askChecks(label: string, checks: readonly Check[], context: StepContext): Promise<StepFailure | undefined> {
  if (checks.length === 0) return undefined
  const timeoutMs = checkTimeoutMs * checks.length
  const script = { label, functions: [], act: ':', args: [], timeoutMs }
  const { transport, nonce, force } = context
  return ask(script, checks, { transport, nonce, ...defined({ force }) })
}

async function runScript(step: RunStep, context: AuditedContext): Promise<StepFailure | undefined> {
  const { label, script, args, timeoutMs, unknown } = step
  const onOutput = (said: string) => void (unknown !== undefined && said.trim() === 'unknown' && context.onNote?.(unknown))
  return send({ label, functions: [], act: script, args, timeoutMs }, step.guards, { ...context, onOutput })
}

async function putFile(step: PutStep, context: AuditedContext): Promise<StepFailure | undefined> {
  const { replaces, validate = { script: ':', args: [] } } = step
  const act = step.rehearsal === true ? rehearseAct : putAct
  const args = [step.path, octal(step.mode), step.owner ?? '', octal(step.folderMode), ...validate.args]
  const script = {
    label: step.label,
    functions: [
      ...hereDocument(step.content, `end_${context.nonce()}`),
      `${putFunctions}${define('validate', validate.script)}\n`,
    ],
    act: replaces === undefined ? act : `${onlyInPlaceOf}${act}`,
    args: replaces === undefined ? args : [replaces, ...args],
    timeoutMs: fileTimeoutMs,
  }
  return send(script, step.guards, context, step.path)
}

async function deleteFile(step: DeleteStep, context: AuditedContext): Promise<StepFailure | undefined> {
  const script = { label: step.label, functions: [deleteFunctions], act: deleteAct, args: [step.path], timeoutMs: fileTimeoutMs }
  return send(script, step.guards, context, step.path)
}

/** Polls with growing pauses. A failed guard, a broken connection or an interrupt ends it at once. */
async function waitUntil(step: WaitStep, context: StepContext): Promise<StepFailure | undefined> {
  const { until, timeoutMs } = step
  const script = { label: step.label, functions: [], act: until.script, args: until.args, timeoutMs: checkTimeoutMs }
  let said = ''
  const { clock, signal } = context
  const onlyLooking = endedByAnyInterrupt(context)
  const look = async (): Promise<{ failure?: StepFailure } | undefined> => {
    const failure = await ask(script, step.guards, onlyLooking)
    if (failure === undefined) return {}
    const unanswered = failure.kind === 'exit' || (failure.kind === 'in-doubt' && failure.connection === undefined)
    if (!unanswered) return { failure }
    said = failure.said
    return undefined
  }
  const polled = await poll(look, { timeoutMs, clock, ...defined({ signal }) })
  if (polled.ended === 'answered') return polled.value.failure
  if (polled.ended === 'interrupted') return { kind: 'interrupted' }
  return { kind: 'not-in-time', check: until, timeoutMs, said }
}

type Body = Omit<GuardedScript, 'guards' | 'nonce'>

interface ExchangeContext extends Pick<AuditedContext, 'transport' | 'nonce' | 'fence' | 'watch' | 'force' | 'audit'> {
  /** Receives the output when the script succeeded. */
  readonly onOutput?: (stdout: string) => void
}

/** For scripts that change nothing. */
function ask(body: Body, guards: readonly Check[], context: ExchangeContext): Promise<StepFailure | undefined> {
  return exchange(body, guards, { ...context, how: { readOnly: true } })
}

function send(body: Body, guards: readonly Check[], context: ExchangeContext, path = ''): Promise<StepFailure | undefined> {
  const { watch } = context
  return exchange(body, guards, { ...context, how: defined({ watch }) }, path)
}

/** One round trip: the fence, the guards, then the body, in one script. */
async function exchange(
  body: Body,
  guards: readonly Check[],
  context: ExchangeContext & { readonly how: Pick<Script, 'readOnly' | 'watch'> },
  path = '',
): Promise<StepFailure | undefined> {
  const { fence, transport, force, audit, how } = context
  const fenced = fence === undefined ? guards : [fence, ...guards]
  const nonce = context.nonce()
  // Nothing was sent, so nothing is in doubt.
  if (isAborted(force)) return { kind: 'interrupted' }
  try {
    const written = defined({ audit })
    const script = { ...guardedScript({ ...body, ...written, guards: fenced, nonce }), ...how }
    const result = await transport.exec(script, defined({ signal: force }))
    const outcome = readOutcome(result, nonce)
    if (outcome.kind === 'done') context.onOutput?.(result.stdout)
    return toFailure(outcome, fenced, fence, path)
  } catch (error) {
    if (isAborted(force)) return how.readOnly === true ? { kind: 'interrupted' } : endedByForce
    if (!(error instanceof ConvergeError)) throw error
    return { kind: 'in-doubt', why: 'the connection broke', said: '', connection: error.toProblem() }
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true
}

const endedByForce: StepFailure = { kind: 'in-doubt', why: 'the second interrupt killed it', said: '' }

function toFailure(outcome: Outcome, guards: readonly Check[], fence: Check | undefined, path: string): StepFailure | undefined {
  if (outcome.kind === 'done') return undefined
  if (outcome.kind === 'file') return { ...outcome, path }
  if (outcome.kind === 'not-written-down') return { kind: 'not-journalled', at: 'host', said: outcome.said }
  if (outcome.kind !== 'guard') return outcome
  const check = guards[outcome.index]
  if (check === undefined) return { kind: 'exit', exitCode: 91, said: outcome.said }
  return check === fence ? { kind: 'lock-lost' } : { kind: 'guard', check, said: outcome.said }
}

/** A function that prints the content and one dot: command substitution strips trailing newlines, and the dot protects them. */
function hereDocument(content: SecretText, end: string): SecretText {
  return [`content() {\ncat <<'${end}'\n`, ...content, `.\n${end}\n}\n`]
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0')
}
