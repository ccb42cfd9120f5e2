import { defined } from '../lib/defined.ts'
import { flowOf } from './remote/flow.ts'
import type { ProcessEnd, RemoteProcess } from './remote/remote-process.ts'

/** The only file that starts programs on this machine. */

export interface ToolResult {
  /** Undefined: a signal ended it. */
  readonly exitCode: number | undefined
  readonly stdout: string
  readonly stderr: string
  /** The program does not exist on this machine. */
  readonly missing: boolean
}

export interface ToolOptions {
  /** In addition to the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly signal?: AbortSignal
  /** Reads and writes one character per byte, and keeps the final line break. */
  readonly bytes?: { readonly input?: string }
}

/** Runs a short program until it exits; a non-zero exit status is a value. */
export async function runTool(file: string, args: readonly string[], options: ToolOptions = {}): Promise<ToolResult> {
  const { execa } = await import('execa')
  const result = await execa(file, [...args], {
    reject: false,
    ...(options.bytes?.input === undefined ? { stdin: 'ignore' } : { input: Buffer.from(options.bytes.input, 'latin1') }),
    ...(options.bytes === undefined ? {} : { encoding: 'latin1', stripFinalNewline: false }),
    timeout: 30_000,
    ...defined({ env: options.env, cancelSignal: options.signal }),
  })
  options.signal?.throwIfAborted()
  const missing = result.failed && 'code' in result && result.code === 'ENOENT'
  return { exitCode: result.exitCode, stdout: result.stdout, stderr: result.stderr, missing }
}

/** Runs a program that talks with the person at the terminal; its own end is all that it reports. */
export async function runInTerminal(file: string, args: readonly string[], { env, signal }: ToolOptions): Promise<void> {
  const { execa } = await import('execa')
  const streams = { stdin: 'ignore', stdout: 'ignore', stderr: 'inherit' } as const
  await execa(file, [...args], { ...streams, reject: false, ...defined({ env, cancelSignal: signal }) })
  signal?.throwIfAborted()
}

/**
 * Runs a program that has the terminal until it exits. The exit code is undefined if a signal ended it. An abort asks it to end, and waits for
 * as long as that takes: it may be in the middle of a step. It is asked by SIGHUP, which a closed terminal has sent it already, and which another
 * converge counts once; a SIGTERM after it would end the step without a rollback.
 */
export async function runInForeground(file: string, args: readonly string[], { signal }: ToolOptions): Promise<ForegroundEnd> {
  const { execa } = await import('execa')
  const options = { stdio: 'inherit', reject: false, killSignal: 'SIGHUP', forceKillAfterDelay: false } as const
  const { exitCode, code } = await execa(file, [...args], { ...options, ...defined({ cancelSignal: signal }) })
  return exitCode === undefined && code !== undefined ? { failure: code } : { exitCode }
}

export type ForegroundEnd =
  | { readonly exitCode: number | undefined }
  /** It was not started: `ENOENT`, … */
  | { readonly failure: string }

/** A program with open streams. It leads its own process group, so that Ctrl-C in the terminal does not reach it. */
export interface Child extends RemoteProcess {
  readonly pid: number | undefined
  kill(signal?: NodeJS.Signals): void
}

export async function startChild(file: string, args: readonly string[], options: ChildOptions = {}): Promise<Child> {
  const { execa } = await import('execa')
  const child = execa(file, [...args], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
    buffer: false,
    reject: false,
    encoding: 'buffer',
    detached: true,
    cleanup: false,
    ...defined({ env: options.env }),
  })
  const kill = (signal: NodeJS.Signals = 'SIGTERM'): void => {
    child.kill(signal)
  }
  const abandon = (): void => {
    killGroup(child.pid)
    child.stdout.destroy()
    child.stderr.destroy()
  }
  const { pid, stdin, stdout, stderr } = child
  const flow = flowOf(stdout, stderr)
  const closed = endOf(child)
  if (options.endsWithUs === true && pid !== undefined) endWithUs(pid, closed)
  return { pid, stdin, stdout, stderr, flow, closed, abandon, kill }
}

const endingWithUs = new Set<number>()
let isWatched = false

/** For an exit of this process that leaves children open. */
function endWithUs(pid: number, closed: Promise<unknown>): void {
  if (!isWatched) process.once('exit', () => endingWithUs.forEach(killGroup))
  isWatched = true
  endingWithUs.add(pid)
  void closed.then(() => endingWithUs.delete(pid))
}

/** Kills the group, not only the process: a shell and everything it started. */
function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It already ended, or belongs to root.
  }
}

export interface ChildOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  /** It is useless without this process; a script is not, because it may finish its work. */
  readonly endsWithUs?: true
}

interface Ended {
  readonly exitCode?: number | undefined
  readonly signal?: string | undefined
  readonly code?: string | undefined
}

async function endOf(child: PromiseLike<Ended>): Promise<ProcessEnd> {
  const { exitCode, signal, code } = await child
  return {
    ...defined({ exitCode, signal: signal?.replace(/^SIG/, '') }),
    ...(code === 'ENOENT' ? { missing: true } : {}),
  }
}
