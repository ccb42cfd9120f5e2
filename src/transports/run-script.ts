import { randomBytes } from 'node:crypto'
import type { Elevation } from './elevation.ts'
import type { Place } from './errors/place.ts'
import { remoteCommand } from './remote/remote-command.ts'
import type { RemoteProcess } from './remote/remote-process.ts'
import { runFramed } from './remote/run-framed.ts'
import { graceS, type Script } from './script.ts'
import type { CommandResult, ExecOptions, Transport } from './transport.ts'

/** What every transport runs its scripts with. */
export interface ScriptRunner {
  readonly place: Place
  readonly elevation: Elevation
  readonly redact: (text: string) => string
  /** Starts these words on the host, under whatever shell the account has. */
  start(words: readonly string[], label: string): Promise<RemoteProcess>
  /** Called when the result is there; settles when the process has let go of its place on the connection. */
  release(process: RemoteProcess): Promise<void>
}

/** The longest a timer can wait: three weeks. */
const longestMs = 2 ** 31 - 1

/** Both ways in which scripts are sent. */
export function scriptsThrough(runner: ScriptRunner): Pick<Transport, 'look' | 'exec'> {
  return {
    look: (script, options) => runScript(runner, script.unwrap(), options),
    exec: (script, options) => runScript(runner, script, options),
  }
}

async function runScript(runner: ScriptRunner, script: Script, options: ExecOptions = {}): Promise<CommandResult> {
  const { signal } = options
  signal?.throwIfAborted()
  const elevated = await runner.elevation.prepare(script.elevate)
  const timeoutMs = Math.min(script.timeoutMs, longestMs)
  const command = remoteCommand({
    ...script,
    timeoutMs,
    graceS: script.readOnly === true ? 0 : graceS,
    nonce: randomBytes(16).toString('hex'),
    ...(elevated === undefined ? {} : { become: elevated.become }),
  })
  return runner.elevation.guard(elevated, async () => {
    const process = await runner.start(command.words, script.label)
    const context = { place: runner.place, redact: runner.redact, label: script.label, timeoutMs }
    const optional = {
      ...(elevated === undefined ? {} : { becomeUser: elevated.become.user }),
      ...(elevated?.password === undefined ? {} : { password: elevated.password }),
      ...(signal === undefined ? {} : { signal }),
    }
    try {
      // It may have waited for its turn long enough to be unwanted.
      if (signal?.aborted === true) process.abandon()
      signal?.throwIfAborted()
      return await runFramed(process, command, { ...context, ...optional })
    } finally {
      void runner.release(process)
    }
  })
}
