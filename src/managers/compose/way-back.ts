import type { Step } from '../../model/step.ts'
import type { Rendered } from '../manager.ts'
import { restorePrevious, writtenPaths } from '../previous-copy.ts'
import { deletion } from '../write-files.ts'
import * as acts from './acts.ts'
import type { Engine } from './engine.ts'
import type { Job } from './job.ts'
import { isUp } from './seen.ts'

/** Nothing is started again where a Kind B was ended: its hour of warming is lost already. */
export function wayBack(job: Job, engine: Engine, rendered: Rendered): readonly Step[] {
  const { container, place, before, docker, mark, action, input } = job
  const up = container !== null && isUp(container)
  if (up && action.interrupts && input.service.kind === 'B') return []
  if (before !== null) {
    const restored = restorePrevious(writtenPaths(rendered), before)
    if (!up) return [acts.takeDownOurs(docker, place, mark), restored]
    return action.interrupts ? [restored, acts.bringBack(engine, place, container)] : [restored]
  }
  const files = [rendered.definition, ...(rendered.keyFile === undefined ? [] : [rendered.keyFile])]
  const written = files.map(({ path }) => deletion(path))
  return up ? written : [acts.takeDownOurs(docker, place, mark), ...written]
}
