import { type ExitCode, exitCodes } from '../context/exit-code.ts'
import type { Problem } from '../model/plan.ts'

/** How a run ends in which a host could not be looked at or compared: a bug of ours is another matter than a host that does not answer. */
export function unseenExit(problem: Problem | undefined): ExitCode {
  return problem?.code === 'INTERNAL.HOST' ? exitCodes.bug : exitCodes.unreachable
}
