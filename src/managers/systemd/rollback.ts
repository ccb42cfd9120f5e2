import type { Step } from '../../model/step.ts'
import { restartsCheaply } from '../../servers/traits.ts'
import type { Rendered } from '../manager.ts'
import { seenToRun } from '../previous-copy.ts'
import { putFilesBack } from '../write-files.ts'
import * as acts from './acts.ts'
import { unitComesFrom, unitStaysUp } from './checks.ts'
import type { Job } from './job.ts'

/** A stopped Kind B is not started again: its hour of warming is already lost. */
export function rollbackSteps(job: Job, rendered: Rendered): readonly Step[] {
  const { action, input, before, wasUp } = job
  if (wasUp && action.interrupts && !restartsCheaply(input.service.kind)) return []
  const reload = acts.daemonReload()
  const files = putFilesBack(rendered, { digest: before, key: job.key })
  if (before === null) {
    return [...(wasUp ? [] : [acts.stopIfOurs(job)]), acts.deleteIfOurs(job), ...files, reload]
  }
  if (!wasUp) return [acts.stopIfOurs(job), ...files, reload, ...bootBefore(job)]
  const process = action.relies_on.process ?? undefined
  const run = action.interrupts && process !== undefined ? [acts.runAsBefore(job, process)] : []
  return [...files, reload, ...run, ...bootBefore(job), ...(run.length > 0 ? [seenToRun(unitStaysUp(job.unit))] : [])]
}

/** Restores whether it starts at boot: the restored file may have another owner, but it is at the service's path. */
export function bootBefore({ unit, path, seen, wasUp, wasEnabled }: Job): readonly Step[] {
  const there = [unitComesFrom(unit, path)]
  if (wasEnabled) return [acts.setBoot(unit, true, there)]
  return wasUp && seen?.unitFileState === 'disabled' ? [acts.setBoot(unit, false, there)] : []
}
