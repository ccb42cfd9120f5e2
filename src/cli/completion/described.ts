import type { CommandLine } from './command-line.ts'
import { describeCommandLine } from './describe.ts'

/** A build replaces this file by one that holds the result: loading every verb takes longer than a person waits for a completion. */
export function describedCommandLine(): Promise<CommandLine> {
  return describeCommandLine()
}
