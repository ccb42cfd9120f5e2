import { randomBytes } from 'node:crypto'
import { defined } from '../lib/defined.ts'
import type { Elevation } from './elevation.ts'
import type { Endpoint } from './errors/endpoint.ts'
import { remoteCommand } from './remote/remote-command.ts'
import type { RemoteProcess } from './remote/remote-process.ts'
import { runFramed } from './remote/run-framed.ts'
import { graceS, type Script } from './script.ts'
import type { CommandResult, ExecOptions, Transport } from './transport.ts'

/** How a transport runs scripts. */
export interface ScriptRunner {
  readonly endpoint: Endpoint
  readonly elevation: Elevation
  readonly redact: (text: string) => string
  /**
   * Starts these words on the host, under whatever login shell.
   *
   * @param isFollowed the same words will be started again soon
   */
  start(words: readonly string[], label: string, isFollowed: boolean): Promise<RemoteProcess>
  /** Called with the result; settles when the session has closed. */
  release(process: RemoteProcess): Promise<void>
}

/** The longest timeout of a timer: three weeks. */
const longestMs = 2 ** 31 - 1

/** Both ways to send scripts. */
export function scriptsThrough(runner: ScriptRunner): Pick<Transport, 'look' | 'exec'> {
  return {
    look: (script, options) => runScript(runner, script.unwrap(), options),
    exec: (script, options) => runScript(runner, script, options),
  }
}

async function runScript(runner: ScriptRunner, script: Script, options: ExecOptions = {}): Promise<CommandResult> {
  const { signal, input, output } = options
  signal?.throwIfAborted()
  const elevated = await runner.elevation.prepare(script.elevate)
  const timeoutMs = Math.min(script.timeoutMs, longestMs)
  const command = remoteCommand({
    ...script,
    timeoutMs,
    graceS: script.readOnly === true ? 0 : graceS,
    nonce: randomBytes(16).toString('hex'),
    isFed: options.input !== undefined,
    ...defined({ become: elevated?.become }),
  })
  const start = async (): Promise<RemoteProcess> => {
    signal?.throwIfAborted()
    // With a password, each command has a prompt of its own.
    const isFollowed = script.followed === true && elevated?.password === undefined
    const starting = runner.start(command.words, script.label, isFollowed)
    // It may wait long for its turn or for a silent host, and nothing has been sent yet.
    return orAborted(starting, signal, () => starting.then((process) => process.abandon()))
  }
  const run = async (): Promise<CommandResult> => {
    const process = await start()
    const context = { endpoint: runner.endpoint, redact: runner.redact, label: script.label, timeoutMs }
    const optional = defined({
      startMs: script.startMs,
      becomeUser: elevated?.become.user,
      password: elevated?.password,
      signal,
      input,
      output,
    })
    try {
      return await runFramed(process, command, { ...context, ...optional })
    } finally {
      void runner.release(process)
    }
  }
  return runner.elevation.guard(elevated, run)
}

/** Rejects with the signal's reason once aborted; `undo` then cleans up a late result. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined, undo: () => Promise<unknown>): Promise<T> {
  if (signal === undefined) return work
  const given = Promise.withResolvers<never>()
  const giveUp = (): void => {
    given.reject(signal.reason)
    undo().catch(() => undefined)
  }
  if (signal.aborted) giveUp()
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    return await Promise.race([work, given.promise])
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}
