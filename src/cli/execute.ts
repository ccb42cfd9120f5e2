import { CommanderError } from 'commander'
import { type Context, contextGiven } from '../context/context.ts'
import { errorDocument } from '../context/error-document.ts'
import { type ExitCode, exitCodes } from '../context/exit-code.ts'
import { tellBug } from '../context/tell-bug.ts'
import { catalogue } from '../errors/catalogue.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { renderIssues } from '../load/render-issues.ts'
import { renderProblem } from '../report/problem-text.ts'
import { createProgram } from './program.ts'

/** Runs one command line to its exit code. People's errors become words; everything else is a bug and says so. */
export async function execute(argv: readonly string[], context: Context): Promise<ExitCode> {
  let exit: ExitCode = exitCodes.done
  let read = context
  try {
    const program = await createProgram(argv, async (work, given) => {
      read = contextGiven(context, given)
      exit = await work(read)
    })
    await program.parseAsync([...argv], { from: 'user' })
  } catch (error) {
    exit = await exitFor(error, read)
  }
  return context.bugs.length > 0 ? exitCodes.bug : exit
}

export async function exitFor(error: unknown, context: Context, wantsJson = context.argv.includes('--json')): Promise<ExitCode> {
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

/** What was given up because of the interrupt; a mistake that only shows on the way out is still one. */
function isAbort(error: unknown, signal: AbortSignal): boolean {
  return error === signal.reason || (error instanceof Error && error.name === 'AbortError')
}

/** `--json` prints one document also where there is no result. */
function writeError(context: Context, error: Readonly<Record<string, unknown>>): void {
  context.out.writeJson({ schema: 'converge/error/v1', ...error })
}
