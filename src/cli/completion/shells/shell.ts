import type { Answer } from '../answer.ts'
import type { TypedLine } from '../read-line.ts'

/** One shell whose completion calls `converge complete`. */
export interface Shell {
  /** Makes the shell complete `converge`. A constant: no text of a user, an inventory or a host is in it. */
  readonly script: string
  /** @param args what the script gives to `converge complete SHELL` */
  read(args: readonly string[]): TypedLine
  /** Lines for the script; it takes none of them for code. */
  render(answer: Answer, args: readonly string[]): string
}

/** More are not readable, and slow the shell down. */
export const mostCandidates = 1000
