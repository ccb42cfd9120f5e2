import { defined } from '../../lib/defined.ts'
import type { Action, EndedServer } from '../../model/action.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { Check, Step, StepGroup } from '../../model/step.ts'
import { readsKeyFile, restartsCheaply } from '../../servers/traits.ts'
import { compileAction, type EndingServer, type GroupBody } from '../compile-action.ts'
import { endProcess } from '../end-process.ts'
import { forgetUnderServer } from '../held-key.ts'
import { fileGone, portFree, processUnchanged } from '../linux-checks.ts'
import type { RenderInput } from '../manager.ts'
import { ownershipLines } from '../ownership-label.ts'
import { forgetCopies } from '../previous-copy.ts'
import { tidyUp } from '../tidying.ts'
import { unmark } from '../unmark.ts'
import { deletion, dropKey, dropKeyOfStop, rehearseDefinition, writeFiles } from '../write-files.ts'
import * as acts from './acts.ts'
import * as checks from './checks.ts'
import { accountOf, keyFilePath, renderUnit } from './definition.ts'
import { type Job, jobOf } from './job.ts'
import { bootBefore, rollbackSteps } from './rollback.ts'
import { compareRunningUnit } from './running.ts'
import { isUp } from './seen.ts'

/** The steps of one action under systemd. */
export function compileUnit(action: Action, input: RenderInput, facts: HostFacts): StepGroup {
  return compileAction(
    action,
    { write: (job) => write(job, facts), tidy, start, restart, stop, remove, end, unmark: unmarkUnit },
    jobOf(action, input, facts),
  )
}

function write(job: Job, facts: HostFacts): GroupBody {
  const { input, unit, action, guards, grace, seen } = job
  const rendered = renderUnit(input)
  const filesBefore = { digest: action.relies_on.definition_digest, key: job.key }
  const written = writeFiles(rendered, acts.validateUnit(unit, accountOf(input)), filesBefore)
  const before = [...written, acts.daemonReload(), ...dropKey(job.key)]
  const common = { precheck: job.prechecks, undo: rollbackSteps(job, rendered), cleanup: [forgetCopies(job.path, job.key.path)] }
  const untouched = !action.interrupts && seen !== null && isUp(seen)
  if (untouched || !action.starts) {
    const enabled = input.service.state === 'running' && untouched
    const postcheck = [checks.unitLoaded(unit), checks.unitEnabled(unit, enabled)]
    const cleanup = forgetUnderServer(job.path, job.key, input.service, compareRunningUnit(input, facts))
    return {
      ...common,
      ...(untouched ? { cleanup: [cleanup] } : {}),
      steps: [...before, acts.setBoot(unit, enabled, [checks.unitIsOurs(job)])],
      postcheck,
    }
  }
  const ready = [...guards, ...keyGuard(job)]
  const act = seen !== null && isUp(seen) ? acts.enableAndRestart(unit, grace, ready) : acts.enableAndStart(unit, ready)
  return { ...common, steps: [...before, act], postcheck: upAtBoot(unit) }
}

function tidy({ path, key, prechecks }: Job): GroupBody {
  return tidyUp(path, key, prechecks)
}

function start(job: Job): GroupBody {
  const { unit, grace, guards, prechecks, seen } = job
  const ready = [...guards, ...keyGuard(job)]
  const stuck = seen !== null && isUp(seen)
  return {
    precheck: prechecks,
    steps: [
      acts.daemonReload(),
      stuck ? acts.enableAndRestart(unit, grace, ready) : acts.enableAndStart(unit, ready),
      ...dropKey(job.key),
    ],
    postcheck: upAtBoot(unit),
    undo: [acts.stopIfOurs(job), ...bootBefore(job)],
    cleanup: [forgetCopies(job.path, job.key.path)],
  }
}

function restart(job: Job): GroupBody {
  const { unit, grace, guards, prechecks } = job
  return {
    precheck: prechecks,
    steps: [acts.daemonReload(), acts.enableAndRestart(unit, grace, [...guards, ...keyGuard(job)]), ...dropKey(job.key)],
    postcheck: upAtBoot(unit),
    undo: [],
    cleanup: [forgetCopies(job.path, job.key.path)],
  }
}

function stop(job: Job): GroupBody {
  const { unit, grace, guards, prechecks, action } = job
  return {
    precheck: prechecks,
    steps: [...(action.temporary === undefined ? [] : [rehearsal(job)]), acts.disableAndStop(unit, grace, guards)],
    postcheck: [checks.unitDown(unit), checks.unitEnabled(unit, false)],
    undo: undoStop(job),
    ...defined({ room: action.temporary?.ports.map(portFree) }),
    cleanup: [...dropKeyOfStop(action, job.key), forgetCopies(job.path, job.key.path)],
  }
}

/** Checks while the old server still runs whether the new one could be started. */
function rehearsal({ input, unit }: Job): Step {
  return rehearseDefinition(renderUnit(input), acts.validateUnit(unit, accountOf(input)))
}

/** A stopped Kind B is not started again, unless that was planned: its hour of warming is already lost. */
function undoStop(job: Job): readonly Step[] {
  const { unit, wasUp, wasEnabled, input, action } = job
  if (!wasUp) return bootBefore(job)
  if (!restartsCheaply(input.service.kind) && action.temporary === undefined) return []
  const ours = [checks.unitIsOurs(job)]
  return [wasEnabled ? acts.enableAndStart(unit, ours) : acts.startOnly(unit, ours)]
}

/** Removes only what converge created: models, drop-ins and the journal stay. */
function remove(job: Job): GroupBody {
  const { unit, path, grace, guards, prechecks, key, before } = job
  const keyFile = key.was === 'there' ? [deletion(key.path)] : []
  const stopped = before === null ? acts.stopIfOurs(job) : acts.disableAndStop(unit, grace, guards)
  return {
    precheck: prechecks,
    steps: [
      stopped,
      { ...deletion(path), guards: [checks.fileIsOurs(job)] },
      ...keyFile,
      forgetCopies(path, key.path),
      acts.daemonReload(),
    ],
    postcheck: [checks.unitGone(unit), fileGone(path)],
    undo: [],
  }
}

function end({ grace, input }: Job, ended: EndedServer): EndingServer {
  return { step: endProcess(ended, grace, [processUnchanged(ended)]), portFree: portFree(input.service.port) }
}

function unmarkUnit({ path, before, input }: Job): readonly Step[] {
  const header = ownershipLines(input).map((line) => `# ${line}`)
  return [...unmark(path, before, header), acts.daemonReload()]
}

function upAtBoot(unit: string): readonly Check[] {
  return [checks.unitLoaded(unit), checks.unitStaysUp(unit), checks.unitEnabled(unit, true)]
}

/** Kind A opens its key file itself; for Kind B systemd reads it. */
function keyGuard({ input }: Job): readonly Check[] {
  const { service, key } = input
  const reads = readsKeyFile(service.kind) && key !== undefined && service.keyDelivery === 'file'
  return reads ? [checks.accountReads(accountOf(input), keyFilePath(input))] : []
}
