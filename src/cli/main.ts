import { CommanderError } from 'commander'
import { catalogue } from '../errors/catalogue.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { renderProblem } from '../report/problem-text.ts'
import { type Context, createContext } from './context.ts'
import { type ExitCode, exitCodes } from './exit-code.ts'
import { foldText, terminalWidth } from './fold-text.ts'
import { watchInterrupts } from './interrupts.ts'
import { createProgram } from './program.ts'

/**
 * argv → exit code. The last catch of the program: people's errors become words, everything else is a bug and says so.
 * @param endNow leaves the program at once; only `src/main.ts` can give that away.
 */
export async function main(argv: readonly string[], endNow: (code: ExitCode) => void): Promise<ExitCode> {
  if (argv.includes('--no-color')) process.env['NO_COLOR'] = '1'
  const interrupts = watchInterrupts(process, endNow)
  const context = createContext(interrupts.signal)
  endQuietlyOnClosedPipe(process.stdout, endNow)
  let exit: ExitCode = exitCodes.done
  try {
    const program = await createProgram(argv, async (work) => {
      exit = await work(context)
    })
    await program.parseAsync([...argv], { from: 'user' })
  } catch (error) {
    exit = exitFor(error, context)
  } finally {
    interrupts.stop()
  }
  return interrupts.signal.aborted && exit !== exitCodes.bug ? exitCodes.interrupted : exit
}

function exitFor(error: unknown, context: Context): ExitCode {
  // Commander has printed its own words already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
  if (error instanceof ConvergeError) {
    context.err.write(foldText(`${renderProblem(error.toProblem(), context.err.paint)}\n`, terminalWidth(context.err)))
    return catalogue[error.code].exit
  }
  if (context.signal.aborted) return exitCodes.interrupted
  context.err.write(bugText(error))
  return exitCodes.bug
}

function bugText(error: unknown): string {
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return `This is a bug in converge, not in your inventory. Nothing more was done.\nPlease report it with the command you ran and these lines:\n\n${trace}\n`
}

/** `converge plan | head` is no error: whoever reads has read enough. */
function endQuietlyOnClosedPipe(stream: NodeJS.WriteStream, endNow: (code: ExitCode) => void): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    endNow(exitCodes.done)
  })
}
