import type { Step } from '../../model/step.ts'
import { restartsCheaply } from '../../servers/traits.ts'
import type { Rendered } from '../manager.ts'
import { seenToRun } from '../previous-copy.ts'
import { deletion, putFilesBack } from '../write-files.ts'
import * as acts from './acts.ts'
import { agentIsOurs, agentStaysUp } from './checks.ts'
import type { Job } from './job.ts'

/** A stopped Kind B is not started again: its hour of warming is already lost. */
export function rollbackSteps(job: Job, rendered: Rendered): readonly Step[] {
  const { action, input, before, wasUp, agent, path } = job
  if (wasUp && action.interrupts && !restartsCheaply(input.service.kind)) return []
  const files = putFilesBack(rendered, { digest: before, key: job.key })
  const ours = [agentIsOurs(job)]
  // What did not run must not be started by the next login before a plan has judged that start.
  const away = [acts.unloadAgent(job, ours), acts.keepFromLogin(job)]
  if (before === null) return [...away, { ...deletion(path), guards: ours }, ...files]
  if (!wasUp) return [...away, ...files]
  if (!action.interrupts || agent === null || agent.pid === null) return files
  return [...files, acts.runAsBefore(job, agent.pid), seenToRun(agentStaysUp(job, job.log))]
}
