import type { Command } from '@commander-js/extra-typings'
import type { Context } from '../context/context.ts'
import type { ExitCode } from '../context/exit-code.ts'

/** One verb of the command line: its options, and what it does. One file each in `verbs/`. */
export interface Verb {
  /** Declares arguments and options, and passes the function that runs the verb to `finish`. */
  configure(command: Command, finish: Finish): void
}

/** Runs a verb with the options that its command line gave. */
export type RunVerb = (context: Context) => Promise<ExitCode>

/** Runs a verb and turns what it throws into an error message and an exit code. */
export type Finish = (runVerb: RunVerb) => Promise<void>
