/** A suggestion for the user: a sentence, or a command to copy. Documents contain its text, and are read back as sentences. */
export type NextStep = string | NextCommand

/** Documents and reports contain its text, without the options of the run. Created by `lib/next-command.ts`. */
export interface NextCommand {
  /** The words after `converge`, or a line for any shell. */
  readonly command: readonly string[] | string
  /**
   * @param command replaces its own: the same with more options
   * @param whole keeps what is to be copied on one line
   */
  text(command?: readonly string[] | string, whole?: (line: string) => string): string
  toJSON(): string
  toString(): string
}
