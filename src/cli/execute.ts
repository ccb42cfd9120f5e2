import type { Command } from '@commander-js/extra-typings'
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
  const program = createProgram(argv, async (work, given) => {
    read = contextGiven(context, given)
    exit = await work(read)
  })
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
    writeError(context, { code: 'USAGE.COMMAND', summary: error.message, next, exit_code: exitCodes.usage })
  return exitCodes.usage
}

const seeHelp = 'See `converge --help` for all commands, and `converge COMMAND --help` for its options.'

export async function exitFor(error: unknown, context: Context, wantsJson = context.argv.includes('--json')): Promise<ExitCode> {
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
