import type { Step } from '../../model/step.ts'
import { restartsCheaply } from '../../servers/traits.ts'
import type { Rendered } from '../manager.ts'
import { seenToRun } from '../previous-copy.ts'
import { deletion, putFilesBack } from '../write-files.ts'
import * as acts from './acts.ts'
import { containerRuns } from './checks.ts'
import type { Engine } from './engine.ts'
import { isSettled, type Job } from './job.ts'
import { isUp } from './seen.ts'

/** A stopped Kind B is not started again: its hour of warming is already lost. */
export function rollbackSteps(job: Job, engine: Engine, rendered: Rendered): readonly Step[] {
  const { container, target, before, docker, ownershipLabel, action, input } = job
  const up = container !== null && isUp(container)
  if (up && action.interrupts && !restartsCheaply(input.service.kind)) return []
  const files = putFilesBack(rendered, { digest: before, key: job.key })
  if (before !== null) {
    if (container === null) return [acts.takeDownOurs(docker, target, ownershipLabel), ...files]
    if (!up) return [acts.takeDownNew(docker, target, ownershipLabel, container), ...files, acts.createIfGone(engine, target)]
    if (!action.interrupts) return files
    const runs = isSettled(container) ? [seenToRun(containerRuns(docker, target.name))] : []
    return [...files, acts.bringBack(engine, target, ownershipLabel, container), ...runs]
  }
  const written = [deletion(rendered.definition.path), ...files]
  if (container === null) return [acts.takeDownOurs(docker, target, ownershipLabel), ...written]
  return up ? written : [acts.takeDownNew(docker, target, ownershipLabel, container), ...written]
}
