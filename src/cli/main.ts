import type { Command } from '@commander-js/extra-typings'
import { CommanderError } from 'commander'
import { type Context, contextGiven, createContext } from '../context/context.ts'
import { errorDocument } from '../context/error-document.ts'
import { type ExitCode, exitCodes } from '../context/exit-code.ts'
import { watchInterrupts } from '../context/interrupts.ts'
import { reportBug } from '../context/report-bug.ts'
import { watchUncaught } from '../context/uncaught.ts'
import { loadWidths } from '../context/wrap-prose.ts'
import { catalogue } from '../errors/catalogue.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { renderIssues } from '../load/render-issues.ts'
import type { GivenOptions } from '../model/given-options.ts'
import { renderProblem } from '../report/problem-text.ts'
import { createProgram } from './program.ts'
import { steadyHeap } from './steady-heap.ts'
import type { RunVerb } from './verb.ts'
import { watchOutput } from './watch-output.ts'

/**
 * The command line as a process: its streams, signals and uncaught errors.
 * @param endNow leaves the program at once; only `src/main.ts` can give that away.
 */
export async function main(argv: readonly string[], endNow: (code: ExitCode) => void): Promise<ExitCode> {
  if (argv.includes('--no-color')) {
    process.env['NO_COLOR'] = '1'
    // Node lets this one win.
    delete process.env['FORCE_COLOR']
  }
  if (process.stdout.isTTY || process.stderr.isTTY) await loadWidths()
  const interrupts = watchInterrupts(
    process,
    endNow,
    argv.find((word) => !word.startsWith('-')),
  )
  const context = createContext(process, interrupts, argv)
  const output = watchOutput(process)
  const uncaught = watchUncaught(process, {
    say: (error, then) => reportBug(context, error, then),
    giveUp: () => interrupts.giveUp(),
    endNow: () => endNow(exitCodes.bug),
  })
  const exit = await execute(argv, context).finally(() => interrupts.stop())
  if (uncaught.happened()) return exitCodes.bug
  const lost = await output.lost()
  const whole = lost !== undefined && exit === exitCodes.done ? await exitFor(outputLost(lost), context, false) : exit
  return interrupts.signal.aborted && whole !== exitCodes.bug ? exitCodes.interrupted : whole
}

/** Runs one command line to its exit code. People's errors become words; everything else is a bug and says so. */
export async function execute(argv: readonly string[], context: Context): Promise<ExitCode> {
  let exit: ExitCode = exitCodes.done
  let read = context
  const streams = { stdout: context.out.stream, stderr: context.err.stream }
  const runCalled = async (runVerb: RunVerb, given: GivenOptions) => {
    read = contextGiven(context, given)
    steadyHeap()
    exit = await runVerb(read)
  }
  const program = createProgram(argv, runCalled, streams)
  try {
    await (await program).parseAsync([...argv], { from: 'user' })
  } catch (error) {
    exit = await (error instanceof CommanderError ? usageExit(error, await program, read) : exitFor(error, read))
  }
  return context.bugs.length > 0 ? exitCodes.bug : exit
}

/** Commander has printed the error; what follows says what to type instead. */
async function usageExit(error: CommanderError, program: Command, context: Context): Promise<ExitCode> {
  if (error.exitCode === 0) return exitCodes.done
  const { usageHint } = await import('./hints/usage-hint.ts')
  const next = error.code === 'commander.help' ? [] : [...usageHint(error, program, context.argv), seeHelp]
  context.err.writeProse(next.map((line) => `${line}\n`).join(''))
  if (context.argv.includes('--json'))
    await writeError(context, { code: 'USAGE.COMMAND', summary: error.message, next, exit_code: exitCodes.usage })
  return exitCodes.usage
}

const seeHelp = 'See `converge --help` for all commands, and `converge COMMAND --help` for its options.'

async function exitFor(error: unknown, context: Context, wantsJson = context.argv.includes('--json')): Promise<ExitCode> {
  if (error instanceof ConvergeError) {
    const exit = catalogue[error.code].exit
    if (wantsJson) await context.out.writeJson(errorDocument(error))
    await reportError(context, error)
    return exit
  }
  if (context.signal.aborted && isAbort(error, context.signal)) return exitCodes.interrupted
  reportBug(context, error, 'Nothing more was done.')
  return exitCodes.bug
}

/** Mistakes in files with the lines that they are in. */
async function reportError({ err }: Context, error: ConvergeError): Promise<void> {
  const mistakes = error.issues.length === 0 ? '' : await renderIssues(error.issues, err)
  err.writeProse(`${renderProblem(error.toProblem(), err.paint, mistakes)}\n`)
}

/** What was given up because of the interrupt; a mistake that only shows on the way out is still one. */
function isAbort(error: unknown, signal: AbortSignal): boolean {
  return error === signal.reason || (error instanceof Error && error.name === 'AbortError')
}

/** `--json` prints one document also where there is no result. */
async function writeError(context: Context, error: Readonly<Record<string, unknown>>): Promise<void> {
  await context.out.writeJson({ schema: 'converge/error/v1', ...error })
}

/** Changes the exit code of a run that succeeded, and of no other. */
function outputLost({ code, message }: NodeJS.ErrnoException): ConvergeError {
  return new ConvergeError('USAGE.OUTPUT_FILE', {
    summary: 'The result could not be written to stdout completely.',
    why:
      code === 'ENOSPC'
        ? 'There is no room on the disk that stdout goes to. What is there is cut off.'
        : `What is there is cut off: ${message}`,
    next: ['See where stdout goes, make room there, and run it again; `converge report` has the report of the run itself.'],
  })
}
