import type { ChildProcess } from 'node:child_process'
import { ConvergeError } from '../errors/converge-error.ts'
import { shellQuote } from '../lib/shell-quote.ts'
import type { SecretContext } from './secret-context.ts'

const timeoutMs = 60_000
const lingerMs = 1_000
const mostBytes = 1024 * 1024

/**
 * What a command of this machine prints, run without a shell and without input. Neither its output nor its complaints get into an
 * error: a shell with `-x` writes what it handles to stderr.
 */
export async function runSecretCommand(command: readonly string[], context: SecretContext): Promise<string> {
  const { execa } = await import('execa')
  const [program = '', ...args] = command
  const running = execa(program, args, {
    reject: false,
    stdin: 'ignore',
    stderr: 'ignore',
    stripFinalNewline: false,
    cwd: context.cwd,
    env: { ...context.env },
    extendEnv: false,
    timeout: timeoutMs,
    maxBuffer: mostBytes,
    ...(context.signal === undefined ? {} : { cancelSignal: context.signal }),
  })
  letGoAfterExit(running.nodeChildProcess)
  const result = await running
  if (!result.failed) return result.stdout
  context.signal?.throwIfAborted()
  throw new ConvergeError('SECRET.COMMAND', {
    summary: 'The command for a secret failed.',
    why: `\`${shellQuote(command)}\` ${endOf(result)}. What it printed is not shown, because it may hold the secret.`,
    next: [shellQuote(command)],
  })
}

/** A password manager may leave a helper behind that has our end of its stdout; what is told is told by then. */
function letGoAfterExit(child: ChildProcess): void {
  child.once('exit', () => setTimeout(() => child.stdout?.destroy(), lingerMs).unref())
}

interface FailedRun {
  readonly code?: string | undefined
  readonly exitCode?: number | undefined
  readonly signal?: string | undefined
  readonly timedOut: boolean
  readonly isMaxBuffer: boolean
}

function endOf(run: FailedRun): string {
  if (run.code === 'ENOENT') return 'is not on this machine'
  if (run.code === 'EACCES') return 'may not be run by you'
  if (run.timedOut) return `took longer than ${timeoutMs / 1000} seconds`
  if (run.isMaxBuffer) return 'printed far more than a secret'
  return run.signal === undefined ? `ended with exit code ${run.exitCode ?? 'unknown'}` : `was ended by ${run.signal}`
}
