import type { Container } from '../../model/facts.ts'
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
import { type ImageSwitch, imageSwitchOf, switchedBack } from './switch-image.ts'

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
    return [...files, ...switchedBack(job, imageSwitchOf(job), runsAsBefore(job, engine, container))]
  }
  const written = [deletion(rendered.definition.path), ...files]
  if (container === null) return [acts.takeDownOurs(docker, target, ownershipLabel), ...written]
  return up ? written : [acts.takeDownNew(docker, target, ownershipLabel, container), ...written]
}

/** Only of a restart for another image: any other restart starts what ran before, so there is nothing to return to. */
export function rollbackOfRestart(job: Job, engine: Engine, switched: ImageSwitch | undefined): readonly Step[] {
  const { container, input } = job
  if (switched === undefined || container === null || !restartsCheaply(input.service.kind)) return []
  return switchedBack(job, switched, runsAsBefore(job, engine, container))
}

function runsAsBefore({ target, docker, ownershipLabel }: Job, engine: Engine, container: Container): readonly Step[] {
  const runs = isSettled(container) ? [seenToRun(containerRuns(docker, target.name))] : []
  return [acts.bringBack(engine, target, ownershipLabel, container), ...runs]
}
