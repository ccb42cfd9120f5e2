import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { ConvergeError } from '../../src/errors/converge-error.ts'
import type { Script } from '../../src/transports/script.ts'
import type { CommandResult, ExecOptions, Transport } from '../../src/transports/transport.ts'

export interface ShTransport extends Transport, AsyncDisposable {
  /** An empty folder of this transport's own; scripts run in it, and it is removed with the transport. */
  readonly folder: string
  /** Process groups of scripts that are running. */
  readonly running: ReadonlySet<number>
  /** The argument lists of all scripts so far: what a process list would have shown. */
  readonly seen: readonly (readonly string[])[]
  /** From now on every script fails as over a connection that is gone; optionally after the next one has run. */
  cut(when?: 'now' | 'after-next'): void
}

/** Runs scripts as a host would, with a real shell of this machine: `/bin/sh`, or `['busybox', 'sh']`, `['dash']`, … */
export async function shTransport(shell: readonly string[] = ['/bin/sh'], host = 'here'): Promise<ShTransport> {
  const folder = await mkdtemp(join(tmpdir(), 'converge-sh-'))
  const running = new Set<number>()
  const seen: string[][] = []
  let state: 'up' | 'after-next' | 'cut' = 'up'
  const exec = async (script: Script, options: ExecOptions = {}): Promise<CommandResult> => {
    const { signal } = options
    signal?.throwIfAborted()
    if (state === 'cut') throw connectionLost(host)
    seen.push([...shell, '-s', '--', ...script.args])
    const result = await runScript(shell, script, folder, running, options)
    signal?.throwIfAborted()
    if (state === 'after-next') {
      state = 'cut'
      throw connectionLost(host)
    }
    return result
  }
  return {
    host,
    folder,
    running,
    seen,
    look: (script, options) => exec(script.unwrap(), options),
    exec,
    forward: (port) => (state === 'cut' ? Promise.reject(connectionLost(host)) : dial(host, port)),
    close: async () => undefined,
    cut: (when = 'now') => {
      state = when === 'now' ? 'cut' : 'after-next'
    },
    [Symbol.asyncDispose]: () => {
      // A lock that a test leaves taken has a heartbeat.
      state = 'cut'
      return rm(folder, { recursive: true, force: true })
    },
  }
}

async function runScript(
  shell: readonly string[],
  script: Script,
  cwd: string,
  running: Set<number>,
  { signal: interrupt, input, output }: ExecOptions,
): Promise<CommandResult> {
  const started = Date.now()
  const [file = '/bin/sh', ...first] = shell
  const text = script.text.map((piece) => (typeof piece === 'string' ? piece : piece.reveal())).join('')
  // Its stdin is its own where it is given an input.
  const words = input === undefined ? ['-s', '--'] : ['-c', text, 'sh']
  const child = spawn(file, [...first, ...words, ...script.args], { cwd, detached: true })
  const group = child.pid ?? 0
  running.add(group)
  const out: string[] = []
  const err: string[] = []
  if (output === undefined) child.stdout.setEncoding('utf8').on('data', (said: string) => out.push(said))
  else child.stdout.pipe(output, { end: false })
  // Unwanted output is still read, or the process would never exit.
  output?.once('close', () => child.stdout.resume())
  child.stderr.setEncoding('utf8').on('data', (said: string) => err.push(said))
  child.stdin.on('error', () => undefined)
  if (input === undefined) child.stdin.end(text)
  else input.pipe(child.stdin).once('close', () => input.unpipe(child.stdin))
  input?.once('close', () => child.stdin.end())
  let timedOut = false
  const end = () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    try {
      process.kill(-group, 'SIGKILL')
    } catch {
      // It has just exited, and the event is still to come.
    }
  }
  interrupt?.addEventListener('abort', end, { once: true })
  const timer = setTimeout(() => {
    timedOut = true
    end()
  }, script.timeoutMs)
  const { promise, resolve } = Promise.withResolvers<{ code: number | null; signal: string | null }>()
  child.on('close', (code, signal) => resolve({ code, signal }))
  const { code, signal } = await promise
  clearTimeout(timer)
  interrupt?.removeEventListener('abort', end)
  running.delete(group)
  const streams = { stdout: out.join(''), stderr: err.join('') }
  const ended = { exitCode: code ?? undefined, timedOut, ms: Date.now() - started }
  return signal === null ? { ...ended, ...streams } : { ...ended, ...streams, signal }
}

async function dial(host: string, port: number): Promise<Duplex> {
  const socket = connect({ host: '127.0.0.1', port })
  try {
    await once(socket, 'connect')
  } catch {
    const words = { summary: 'Nothing listens there.', why: `Nothing listens on port ${port} of ${host}.`, next: [] }
    throw new ConvergeError('CONNECT.FORWARD_REFUSED', words)
  }
  return socket
}

function connectionLost(host: string): ConvergeError {
  const words = { summary: 'The connection broke.', why: `The connection to ${host} broke.`, next: [`ssh ${host}`] }
  return new ConvergeError('CONNECT.LOST', words)
}
