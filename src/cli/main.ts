import { createContext } from '../context/context.ts'
import { type ExitCode, exitCodes } from '../context/exit-code.ts'
import { watchInterrupts } from '../context/interrupts.ts'
import { tellBug } from '../context/tell-bug.ts'
import { watchUncaught } from '../context/uncaught.ts'
import { loadWidths } from '../context/wrap-prose.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { execute, exitFor } from './execute.ts'
import { watchOutput } from './watch-output.ts'

/**
 * The command line as a process: its streams, signals and uncaught errors.
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
  const context = createContext(process, interrupts, argv)
  const output = watchOutput(process)
  const uncaught = watchUncaught(process, {
    say: (error, then) => tellBug(context, error, then),
    giveUp: () => interrupts.giveUp(),
    endNow: () => endNow(exitCodes.bug),
  })
  const exit = await execute(argv, context).finally(() => interrupts.stop())
  if (uncaught.happened()) return exitCodes.bug
  const lost = await output.lost()
  const whole = lost !== undefined && exit === exitCodes.done ? await exitFor(outputLost(lost), context, false) : exit
  return interrupts.signal.aborted && whole !== exitCodes.bug ? exitCodes.interrupted : whole
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
