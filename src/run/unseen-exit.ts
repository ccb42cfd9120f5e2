import { type ExitCode, exitCodes } from '../context/exit-code.ts'
import type { Problem } from '../model/plan.ts'

/** The exit code when a host could not be observed or compared: a bug differs from an unreachable host. */
export function unseenExit(problem: Problem | undefined): ExitCode {
  return problem?.code === 'INTERNAL.HOST' ? exitCodes.bug : exitCodes.unreachable
}
