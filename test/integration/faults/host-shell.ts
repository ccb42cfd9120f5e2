import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Readable, Transform } from 'node:stream'
import { text } from 'node:stream/consumers'
import { ConvergeError } from '../../../src/errors/converge-error.ts'
import type { Script } from '../../../src/transports/script.ts'
import type { CommandResult, Transport } from '../../../src/transports/transport.ts'

export interface ShellOfHost {
  readonly name: string
  readonly environment: Readonly<Record<string, string>>
  /** A word for a script, as it is inside. */
  readonly inward: (word: string) => string
  /** The same for a script. */
  readonly scriptInward: (script: string) => string
  /** For each stream that a script prints. */
  readonly output: () => Transform
}

/** Runs the scripts of a run on a simulated host without a connection. */
export function hostShell(shell: ShellOfHost): Transport & { quiet(): Promise<void> } {
  const { name } = shell
  const running = new Set<Promise<unknown>>()
  const exec = (script: Script): Promise<CommandResult> => {
    const result = runScript(shell, script)
    running.add(result)
    void result.finally(() => running.delete(result))
    return result
  }
  return {
    host: name,
    look: (script) => exec(script.unwrap()),
    exec: (script) => exec(script),
    forward: async (port) => {
      const socket = connect({ host: '127.0.0.1', port })
      try {
        await once(socket, 'connect')
      } catch {
        throw new ConvergeError('CONNECT.FORWARD_REFUSED', { summary: 'Refused.', why: `Nothing listens on ${port}.`, next: [] })
      }
      return socket
    },
    close: async () => undefined,
    quiet: async () => {
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}

async function runScript({ environment, inward, scriptInward, output }: ShellOfHost, script: Script): Promise<CommandResult> {
  const started = performance.now()
  const source = scriptInward(script.text.map((piece) => (typeof piece === 'string' ? piece : piece.reveal())).join(''))
  const words = ['-c', 'p=$(cat) && eval "$p"', 'sh', ...script.args.map(inward)]
  const child = spawn('/bin/sh', words, { detached: true, cwd: '/', env: environment })
  child.stdin.on('error', () => undefined)
  child.stdin.end(source)
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    endGroup(child.pid)
  }, script.timeoutMs)
  const through = (stream: Readable): Promise<string> => text(stream.pipe(output()))
  const ended = once(child, 'close')
  const [stdout, stderr] = await Promise.all([through(child.stdout), through(child.stderr), ended])
  clearTimeout(timer)
  const result = { exitCode: child.exitCode ?? undefined, stdout, stderr, timedOut, ms: performance.now() - started }
  const { signalCode } = child
  return signalCode === null || timedOut ? result : { ...result, signal: signalCode.replace(/^SIG/, '') }
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended just now.
  }
}
