import { ConvergeError } from '../../errors/converge-error.ts'
import { lastLines } from '../../lib/last-lines.ts'
import type { NextStep } from '../../model/next-step.ts'
import type { ToolResult } from '../../transports/child-process.ts'

/** @param why with names and the program's own output */
export function scheduleFailed(why: string, next: readonly NextStep[] = []): ConvergeError {
  return new ConvergeError('SCHEDULE.FAILED', {
    summary: 'The schedule could not be installed or removed.',
    why,
    next: [...next, 'Without --install, converge prints the entry for you to install by hand.'],
  })
}

/** How a program ended, with its own output. */
export function toolFailed(command: readonly string[], result: ToolResult, next: readonly NextStep[] = []): ConvergeError {
  const words = command.join(' ')
  if (result.missing) return scheduleFailed(`\`${command[0] ?? ''}\` is not installed on this machine.`)
  const said = lastLines(`${result.stdout}\n${result.stderr}`.trim(), 3)
  return scheduleFailed(`\`${words}\` ended with ${result.exitCode ?? 'a signal'}${said === '' ? '' : `: ${said}`}`, next)
}
