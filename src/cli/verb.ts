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

/** What `converge --help` says of a verb, and its file. */
export interface VerbEntry {
  /** Its heading in `converge --help`. */
  readonly group: 'Start' | 'Inspect' | 'Change' | 'Explain' | 'Records and tools' | 'Maintain'
  readonly summary: string
  /** Terms that its options use. */
  readonly note?: string
  /** Command lines, each with what it is about. */
  readonly examples: readonly (readonly [string, string])[]
  /** Loaded only when it is called, so that the others cost nothing. */
  readonly load: () => Promise<{ readonly verb: Verb }>
}
