import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { indent } from '../../src/report/indent.ts'
import type { Paint } from '../../src/report/paint.ts'
import { atExit } from './at-exit.ts'
import type { CommandLine } from './by-hand.ts'
import type { HostName } from './inventory.ts'

/** The output of the tour, and its commands. */
export interface Stage {
  /** A new chapter. */
  heading(text: string): void
  say(text: string): void
  /** Lines of a file, or of a difference. */
  quote(text: string): void
  /** Shows `converge ARGS`, runs it, and aborts the tour unless it ends with `ends`. */
  converge(args: readonly string[], ends: number): Promise<void>
  /** Shows a command typed on a host, and runs it. */
  byHand(host: HostName, command: string): Promise<void>
}

export interface StageOptions {
  readonly out: (text: string) => void
  readonly paint: Paint
  readonly signal: AbortSignal
  readonly env: Readonly<Record<string, string | undefined>>
  /** The words that start converge. */
  readonly converge: readonly string[]
  readonly commandLine: CommandLine
}

/** A command of the tour ended with an unexpected exit code. */
export class UnexpectedEnd extends Error {}

export function createStage({ out, paint, signal, env, converge, commandLine }: StageOptions): Stage {
  const run = async (shown: string, words: readonly string[], ends: number): Promise<void> => {
    signal.throwIfAborted()
    out(`${paint.whole(paint(['bold'], shown))}\n`)
    const [program = '', ...args] = words
    // What it prints goes where this goes, so that its progress is drawn as it would be for a person.
    // In a group of its own: an interrupt at the terminal reaches it through this process, as one that was sent to this process does.
    const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], env, detached: true })
    const interrupt = () => child.kill('SIGINT')
    signal.addEventListener('abort', interrupt, { once: true })
    using _ = atExit(() => child.kill('SIGKILL'))
    const [code]: (number | null)[] = await once(child, 'close')
    signal.removeEventListener('abort', interrupt)
    signal.throwIfAborted()
    out('\n')
    if (code !== ends) throw new UnexpectedEnd(`${shown} ended with ${code}, and ${ends} was expected`)
  }
  return {
    heading: (text) =>
      out(`${paint.whole(paint(['bold', 'cyan'], `── ${text} ${'─'.repeat(Math.max(0, 70 - text.length))}`))}\n\n`),
    say: (text) => out(`${text}\n\n`),
    quote: (text) => out(`${paint.whole(indent(text.trimEnd()))}\n\n`),
    converge: (args, ends) => run(`$ converge ${args.join(' ')}`, [...converge, ...args], ends),
    byHand: (host, command) => run(`${host}$ ${command}`, commandLine(host, command), 0),
  }
}
