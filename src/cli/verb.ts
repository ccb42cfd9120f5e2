import type { Command } from '@commander-js/extra-typings'
import type { Context } from '../context/context.ts'
import type { ExitCode } from '../context/exit-code.ts'

/** One verb of the command line: its options, and what it does. One file each in `verbs/`. */
export interface Verb {
  /** Declares arguments and options, and calls `finish` with the work from its action. */
  configure(command: Command, finish: Finish): void
}

export type Work = (context: Context) => Promise<ExitCode>

/** Runs the work, turns what it throws into words and an exit code. */
export type Finish = (work: Work) => Promise<void>
