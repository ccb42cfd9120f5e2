import { CommanderError } from 'commander'
import { type Context, contextGiven, createContext } from '../context/context.ts'
import { errorDocument } from '../context/error-document.ts'
import { type ExitCode, exitCodes } from '../context/exit-code.ts'
import { watchInterrupts } from '../context/interrupts.ts'
import { tellBug } from '../context/tell-bug.ts'
import { watchUncaught } from '../context/uncaught.ts'
import { loadWidths } from '../context/wrap-prose.ts'
import { catalogue } from '../errors/catalogue.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { renderIssues } from '../load/render-issues.ts'
import { renderProblem } from '../report/problem-text.ts'
import { createProgram } from './program.ts'
import { watchOutput } from './watch-output.ts'

/**
 * argv → exit code. The last catch of the program: people's errors become words, everything else is a bug and says so.
 * @param endNow leaves the program at once; only `src/main.ts` can give that away.
 */
export async function main(argv: readonly string[], endNow: (code: ExitCode) => void): Promise<ExitCode> {
  if (argv.includes('--no-color')) process.env['NO_COLOR'] = '1'
  if (process.stdout.isTTY || process.stderr.isTTY) await loadWidths()
  const interrupts = watchInterrupts(
    process,
    endNow,
    argv.find((word) => !word.startsWith('-')),
  )
  let context = createContext(interrupts, argv)
  const output = watchOutput(process)
  let exit: ExitCode = exitCodes.done
  const uncaught = watchUncaught(process, {
    say: (error, then) => tellBug(context, error, then),
    giveUp: () => interrupts.giveUp(),
    endNow: () => endNow(exitCodes.bug),
  })
  try {
    const program = await createProgram(argv, async (work, given) => {
      context = contextGiven(context, given)
      exit = await work(context)
    })
    await program.parseAsync([...argv], { from: 'user' })
  } catch (error) {
    exit = await exitFor(error, context, argv.includes('--json'))
  } finally {
    interrupts.stop()
  }
  if (uncaught.happened() || context.bugs.length > 0) return exitCodes.bug
  const lost = await output.lost()
  if (lost !== undefined && exit === exitCodes.done) exit = await exitFor(outputLost(lost), context, false)
  return interrupts.signal.aborted && exit !== exitCodes.bug ? exitCodes.interrupted : exit
}

async function exitFor(error: unknown, context: Context, wantsJson: boolean): Promise<ExitCode> {
  // Commander has printed its own words already.
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCodes.done
    if (error.code === 'commander.excessArguments')
      context.err.writeProse('Hosts are selected with --limit PATTERN, services with --service GLOB.\n')
    if (error.code === 'commander.unknownOption' && context.argv[0] === 'schedule' && !context.argv.includes('--'))
      context.err.writeProse(
        'The verb that is to run stands behind --, with its options: converge schedule cron --every 1h -- drift --changed\n',
      )
    if (wantsJson) writeError(context, { code: 'USAGE.COMMAND', summary: error.message, exit_code: exitCodes.usage })
    return exitCodes.usage
  }
  if (error instanceof ConvergeError) {
    const exit = catalogue[error.code].exit
    if (wantsJson) context.out.writeJson(errorDocument(error))
    await tellError(context, error)
    return exit
  }
  if (context.signal.aborted && isAbort(error, context.signal)) return exitCodes.interrupted
  tellBug(context, error, 'Nothing more was done.')
  return exitCodes.bug
}

/** Mistakes in files with the lines that they are in. */
async function tellError({ err }: Context, error: ConvergeError): Promise<void> {
  const mistakes = error.issues.length === 0 ? '' : await renderIssues(error.issues, err)
  err.writeProse(`${renderProblem(error.toProblem(), err.paint, mistakes)}\n`)
}

/** How a run went is told by its exit code, and that is no other because of this unless all was well. */
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

/** What was given up because of the interrupt; a mistake that only shows on the way out is still one. */
function isAbort(error: unknown, signal: AbortSignal): boolean {
  return error === signal.reason || (error instanceof Error && error.name === 'AbortError')
}

/** `--json` prints one document also where there is no result. */
function writeError(context: Context, error: Readonly<Record<string, unknown>>): void {
  context.out.writeJson({ schema: 'converge/error/v1', ...error })
}
