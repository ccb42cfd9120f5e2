/** What a person can do next: a sentence, or a command to copy. Documents hold its text, and are read back as sentences. */
export type NextStep = string | NextCommand

/** In documents and reports it is its text, without the options that a run was given. Made by `lib/next-command.ts`. */
export interface NextCommand {
  /** The words behind `converge`, or a line for any shell. */
  readonly command: readonly string[] | string
  /**
   * @param command in place of its own: the same with more options
   * @param whole how what is to be copied is kept on one line
   */
  text(command?: readonly string[] | string, whole?: (line: string) => string): string
  toJSON(): string
  toString(): string
}
