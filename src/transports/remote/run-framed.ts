import { performance } from 'node:perf_hooks'
import type { Readable, Writable } from 'node:stream'
import type { ConvergeError } from '../../errors/converge-error.ts'
import { defined } from '../../lib/defined.ts'
import type { Endpoint } from '../errors/endpoint.ts'
import { lostConnection, noAnswer, noShell, outputTooLarge, slowShell } from '../errors/session-errors.ts'
import { sudoDenied, sudoRefusal, sudoWrongPassword } from '../errors/sudo-errors.ts'
import type { CommandResult } from '../transport.ts'
import { FrameReader } from './frame-reader.ts'
import { type OutputBudget, type OutputShare, outputOfAllHosts } from './output-budget.ts'
import { PassingReader } from './passing-reader.ts'
import type { RemoteCommand } from './remote-command.ts'
import type { ProcessEnd, RemoteProcess } from './remote-process.ts'
import { SudoHandshake, type SudoPassword } from './sudo-handshake.ts'
import { stopWords, unwatchedWord } from './supervise.ts'

export interface RunContext {
  readonly endpoint: Endpoint
  readonly label: string
  readonly timeoutMs: number
  /** From the start request until the start marker: login shell, start-up files, sudo. Default: half a minute. */
  readonly startMs?: number
  readonly redact: (text: string) => string
  /** Set if the command runs through sudo. */
  readonly becomeUser?: string
  readonly password?: SudoPassword
  readonly signal?: AbortSignal
  /** For the script's stdin; requires a script prepared with `isFed`. */
  readonly input?: Readable
  /** Receives stdout instead of the result. */
  readonly output?: Writable
  /** Default: the budget of all hosts. */
  readonly budget?: OutputBudget
}

/** Bytes per stream: several times the output of a host with twenty models. `output-budget.ts` limits all hosts together. */
const outputLimit = 8 * 1024 * 1024
/** Bytes before sudo's prompt and its shell: a lecture, output of start-up files. */
const noiseLimit = 64 * 1024
const usualStartMs = 30_000
/** Delay before an expired timer is checked again while reading is paused. */
const waitMs = 100
/** For slow uplinks: bytes per millisecond allowed for sending a script. */
const uplink = 16
/** From the stop request until we give up waiting; shorter for an interrupt than for a timeout. */
const endMs = { timeout: 8_000, abort: 5_000 } as const

/**
 * Sends a prepared script to a shell and waits for its end marker; background processes may keep the streams open. Rejects with a
 * `ConvergeError` if the connection broke or no shell started, and with the signal's reason if it was aborted (after the process group on the
 * host has ended, or was asked to).
 */
export function runFramed(process: RemoteProcess, command: RemoteCommand, context: RunContext): Promise<CommandResult> {
  return new FramedRun(process, command, context).result
}

class FramedRun {
  readonly result: Promise<CommandResult>
  readonly #settle = Promise.withResolvers<CommandResult>()
  readonly #process: RemoteProcess
  readonly #command: RemoteCommand
  readonly #context: RunContext
  readonly #out: FrameReader | PassingReader
  readonly #err: FrameReader
  readonly #share: OutputShare
  readonly #sudo: SudoHandshake | undefined
  readonly #started = performance.now()
  #sent = false
  #stopping: keyof typeof stopWords | undefined
  #timer: NodeJS.Timeout | undefined
  #over = false

  constructor(process: RemoteProcess, command: RemoteCommand, context: RunContext) {
    this.result = this.#settle.promise
    this.#process = process
    this.#command = command
    this.#context = context
    const { output } = context
    this.#out =
      output === undefined
        ? new FrameReader(command.nonce)
        : new PassingReader(command.nonce, (bytes) => handOn(bytes, output, process.stdout))
    this.#err = new FrameReader(command.nonce)
    this.#share = (context.budget ?? outputOfAllHosts).open(process.flow)
    this.#sudo = context.password === undefined ? undefined : new SudoHandshake(context.password.prompt)
    process.stdin.on('error', () => undefined)
    process.stdout.on('data', (chunk: Buffer) => this.#feed(this.#out, chunk))
    process.stderr.on('data', (chunk: Buffer) => this.#feed(this.#err, chunk))
    void process.closed.then((end) => this.#closed(end))
    context.signal?.addEventListener('abort', this.#abort, { once: true })
    const startMs = (context.startMs ?? usualStartMs) + command.input.length / uplink
    this.#arm(startMs, () => this.#fail(this.#lateStart(startMs), true))
    if (this.#sudo === undefined) this.#send()
  }

  #feed(reader: FrameReader | PassingReader, chunk: Buffer): void {
    if (this.#over) return
    const begun = this.#out.begun
    const { bytes } = reader
    reader.feed(chunk)
    this.#share.take(reader.bytes - bytes)
    if (reader.bytes > outputLimit) return this.#tooMuch(outputLimit)
    if (!this.#sent && reader.bytes > noiseLimit) return this.#tooMuch(noiseLimit)
    if (!this.#sent) return this.#passSudo()
    if (!begun && this.#out.begun) this.#begin()
    const { end } = this.#out
    if (end !== undefined && this.#err.end !== undefined) this.#finish(end.exitCode, end.why)
  }

  #passSudo(): void {
    const { password, endpoint, becomeUser = 'root' } = this.#context
    if (this.#sudo === undefined || password === undefined) return
    const move = this.#sudo.next(this.#out.frame().before.toString(), this.#err.frame().before.toString())
    if (move === 'send-password') this.#process.stdin.write(`${password.secret.reveal()}\n`)
    if (move === 'send-script') this.#send()
    if (move === 'wrong-password') this.#fail(sudoWrongPassword(endpoint, becomeUser), true)
  }

  #send(): void {
    this.#sent = true
    this.#process.stdin.write(this.#command.input)
  }

  #begin(): void {
    this.#arm(this.#context.timeoutMs, () => this.#stop('timeout'))
    // Not earlier: the reader of the script may read ahead into its input.
    this.#feedScript()
    if (this.#context.signal?.aborted === true) this.#stop('abort')
  }

  /** The input also ends if its source breaks off: the script has to check that it is complete. */
  #feedScript(): void {
    const { input } = this.#context
    const { stdin } = this.#process
    if (input === undefined) return
    // A closed source emits no second `close`.
    if (input.closed || input.destroyed) return void stdin.end()
    input.pipe(stdin)
    input.once('close', () => stdin.end())
  }

  /** A fed script does not listen for stop words: its input ends instead. */
  #sendStop(word: string): void {
    const { input } = this.#context
    const { stdin } = this.#process
    input?.unpipe(stdin)
    if (input === undefined) stdin.write(`${word}\n`)
    else stdin.end()
  }

  readonly #abort = (): void => {
    if (this.#out.begun) this.#stop('abort')
    else if (!this.#sent) this.#fail(this.#context.signal?.reason, true)
    // A shell that has not started yet gets a moment, so that it can be stopped; see `#begin`.
    else this.#arm(endMs.abort, () => this.#fail(this.#context.signal?.reason, true))
  }

  /** Asks the supervisor to end the script, and waits until it has. */
  #stop(why: keyof typeof stopWords): void {
    if (this.#over || this.#stopping !== undefined) return
    this.#stopping = why
    this.#sendStop(stopWords[why])
    const { endpoint, label, timeoutMs, signal } = this.#context
    this.#arm(endMs[why], () => this.#fail(why === 'abort' ? signal?.reason : noAnswer(endpoint, label, timeoutMs), true))
  }

  #tooMuch(limit: number): void {
    // Before the script arrives, another program would read that word.
    if (this.#sent) this.#sendStop(stopWords.abort)
    this.#fail(outputTooLarge(this.#context.endpoint, this.#context.label, limit), true)
  }

  /** The process is gone. Without an end marker: a lost connection, a shell that did not start, or one that was killed. */
  #closed(end: ProcessEnd): void {
    if (this.#over) return
    const { endpoint, label } = this.#context
    const phase = this.#out.begun ? 'during' : 'before'
    if (this.#stopping === 'abort') this.#fail(this.#context.signal?.reason)
    else if (end.lost !== undefined) this.#fail(lostConnection(endpoint, label, phase, end.lost))
    else if (!this.#out.begun) this.#fail(this.#noStart(`ended at once${withStatus(end)}`))
    else if (this.#stopping === 'timeout') this.#finish(undefined, stopWords.timeout)
    else this.#finish(undefined, '', end.signal ?? 'unknown')
  }

  /** Where nothing was printed, not even by sudo, the host may only be slow. */
  #lateStart(ms: number): ConvergeError {
    const { endpoint, label } = this.#context
    return this.#sent && this.#printed().trim() === '' ? slowShell(endpoint, label, ms) : this.#noStart('did not answer')
  }

  /** So far, before the start marker. */
  #printed(): string {
    return `${this.#out.frame().before.toString()}\n${this.#err.frame().before.toString()}`
  }

  #noStart(ending: string): ConvergeError {
    const { endpoint, becomeUser } = this.#context
    const stderr = this.#err.frame().before.toString()
    const printed = this.#printed()
    if (becomeUser === undefined) return noShell(endpoint, printed, ending)
    const refusal = sudoRefusal(endpoint, becomeUser, stderr)
    if (refusal !== undefined) return refusal
    return this.#sent ? noShell(endpoint, printed, ending) : sudoDenied(endpoint, becomeUser, printed)
  }

  #finish(exitCode: number | undefined, reason: string, signal?: string): void {
    // A fed script does not know why its input ended.
    const why = this.#context.input === undefined || this.#stopping === undefined ? reason : stopWords[this.#stopping]
    if (why === stopWords.abort && this.#context.signal?.aborted === true) return this.#fail(this.#context.signal.reason)
    const { redact } = this.#context
    this.#settle.resolve({
      exitCode: why === '' ? exitCode : undefined,
      stdout: redact(this.#out.frame().output.toString()),
      stderr: redact(this.#err.frame().output.toString()),
      timedOut: why === stopWords.timeout,
      ...(why === unwatchedWord ? { unwatched: true } : {}),
      ...defined({ signal }),
      ms: Math.round(performance.now() - this.#started),
    })
    this.#end()
  }

  #fail(error: unknown, abandon = false): void {
    if (this.#over) return
    this.#settle.reject(error)
    this.#end()
    if (abandon) this.#process.abandon()
  }

  #end(): void {
    this.#over = true
    clearTimeout(this.#timer)
    this.#context.signal?.removeEventListener('abort', this.#abort)
    // A background process may keep the streams open, and with them this object.
    this.#out.forget()
    this.#err.forget()
    this.#share.release()
    this.#context.input?.unpipe(this.#process.stdin)
    this.#process.stdin.end()
  }

  #arm(ms: number, then: () => void): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => (this.#share.isWaiting ? this.#arm(waitMs, then) : then()), ms)
  }
}

/** Pauses only this channel if the consumer is slow, so that the connection stays alive. */
function handOn(bytes: Buffer, output: Writable, stdout: Readable): void {
  if (output.destroyed || output.writableEnded || output.write(bytes)) return
  stdout.pause()
  const goOn = (): void => {
    output.off('drain', goOn).off('close', goOn)
    stdout.resume()
  }
  output.on('drain', goOn).on('close', goOn)
}

function withStatus(end: ProcessEnd): string {
  if (end.signal !== undefined) return ` (signal ${end.signal})`
  return end.exitCode === undefined ? '' : ` (exit code ${end.exitCode})`
}
