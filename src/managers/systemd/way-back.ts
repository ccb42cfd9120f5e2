import type { Step } from '../../model/step.ts'
import type { Rendered } from '../manager.ts'
import { restorePrevious, writtenPaths } from '../previous-copy.ts'
import { deletion } from '../write-files.ts'
import * as acts from './acts.ts'
import type { Job } from './job.ts'
import { isUp } from './seen.ts'

/** Nothing is started again where a Kind B was ended: its hour of warming is lost already. */
export function wayBack({ action, input, before, unit, grace, seen }: Job, rendered: Rendered): readonly Step[] {
  const up = seen !== null && isUp(seen)
  if (up && action.interrupts && input.service.kind === 'B') return []
  const process = action.relies_on.process ?? undefined
  const reload = acts.daemonReload()
  if (before !== null) {
    const restored = restorePrevious(writtenPaths(rendered), before)
    if (!up) return [acts.stopIfThere(unit, grace), restored, reload]
    return action.interrupts && process !== undefined
      ? [restored, reload, acts.runAsBefore(unit, grace, process)]
      : [restored, reload]
  }
  const files = [rendered.definition, ...(rendered.keyFile === undefined ? [] : [rendered.keyFile])]
  const deletions = files.map(({ path }) => deletion(path))
  return up ? [...deletions, reload] : [acts.stopIfThere(unit, grace), ...deletions, reload]
}
