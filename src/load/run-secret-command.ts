import type { Readable } from 'node:stream'
import { ConvergeError } from '../errors/converge-error.ts'
import type { SecretContext } from '../inventory/secret-context.ts'
import { shellQuote } from '../lib/shell-quote.ts'
import { endGroup, endStarted, endWithUs, ownGroup } from './end-processes.ts'
import { mostKeyBytes } from './read-secret-file.ts'

const timeoutMs = 60_000
const lingerMs = 1_000

/**
 * The output of a command on this machine, run without a shell and without input. Neither its output nor its stderr appears in errors: a shell
 * with `-x` writes what it handles to stderr.
 *
 * It and its children are ended after a minute, if it prints more than any key has, and on an interrupt. It leads its own process group,
 * except at a terminal, where it would lose the terminal that it may prompt on.
 */
export async function runSecretCommand(command: readonly string[], context: SecretContext): Promise<string> {
  const { execa } = await import('execa')
  const [program = '', ...args] = command
  const { cwd, env, signal, terminal = false } = context
  signal?.throwIfAborted()
  const before = terminal ? ownGroup() : new Set<number>()
  const running = execa(program, args, {
    reject: false,
    stdin: 'ignore',
    stderr: 'ignore',
    buffer: false,
    cwd,
    env: { ...env },
    extendEnv: false,
    detached: !terminal,
    cleanup: false,
  })
  const end = () => (terminal ? endStarted(running.pid, before) : endGroup(running.pid))
  const output = collect(running.stdout, end)
  const timeout = AbortSignal.timeout(timeoutMs)
  const limit = signal === undefined ? timeout : AbortSignal.any([timeout, signal])
  limit.addEventListener('abort', end, { once: true })
  const isOver = endWithUs(end)
  // A password manager may leave a helper that holds its stdout open; all output has arrived by then.
  running.nodeChildProcess.once('exit', () => setTimeout(() => running.stdout.destroy(), lingerMs).unref())
  const result = await running
  isOver()
  limit.removeEventListener('abort', end)
  signal?.throwIfAborted()
  const { exitCode, code, signal: killedBy } = result
  const isTooMuch = output.isTooMuch()
  if (exitCode === 0 && !isTooMuch) return output.text()
  throw new ConvergeError('SECRET.COMMAND', {
    summary: 'The command for a secret failed.',
    why: `\`${shellQuote(command)}\` ${endOf({ exitCode, code, signal: killedBy, timedOut: timeout.aborted, isTooMuch })}. Its output is not shown, because it may contain the secret.`,
    next: [shellQuote(command)],
  })
}

/** @param whenTooMuch called if it prints more than any key has */
function collect(stream: Readable, whenTooMuch: () => void): { isTooMuch(): boolean; text(): string } {
  const chunks: Buffer[] = []
  let size = 0
  stream.on('error', () => undefined)
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= mostKeyBytes) chunks.push(chunk)
    else whenTooMuch()
  })
  return { isTooMuch: () => size > mostKeyBytes, text: () => Buffer.concat(chunks).toString('utf8') }
}

interface FailedRun {
  readonly code?: string | undefined
  readonly exitCode?: number | undefined
  readonly signal?: string | undefined
  readonly timedOut: boolean
  readonly isTooMuch: boolean
}

function endOf(run: FailedRun): string {
  if (run.code === 'ENOENT') return 'does not exist on this machine'
  if (run.code === 'EACCES') return 'is not executable for you'
  if (run.isTooMuch) return `printed more than ${mostKeyBytes / 1024} KiB, more than any key has`
  if (run.timedOut) return `took longer than ${timeoutMs / 1000} seconds`
  return run.signal === undefined ? `ended with exit code ${run.exitCode ?? 'unknown'}` : `was ended by ${run.signal}`
}
