import { defined } from '../../lib/defined.ts'
import type { Action } from '../../model/action.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { Check, RunStep, Step, StepGroup } from '../../model/step.ts'
import { restartsCheaply } from '../../servers/traits.ts'
import { compileAction, type GroupBody } from '../compile-action.ts'
import { forgetUnderServer } from '../held-key.ts'
import { fileGone } from '../linux-checks.ts'
import { macPortFree } from '../macos-checks.ts'
import type { RenderInput } from '../manager.ts'
import { ownershipLines } from '../ownership-label.ts'
import { forgetCopies } from '../previous-copy.ts'
import { tidyUp } from '../tidying.ts'
import { unmark } from '../unmark.ts'
import { deletion, dropKey, dropKeyOfStop, rehearseDefinition, writeFiles } from '../write-files.ts'
import * as acts from './acts.ts'
import * as checks from './checks.ts'
import { accountOwner, renderAgent } from './definition.ts'
import { otherDomain, plistIn } from './domain.ts'
import { type Job, jobOf } from './job.ts'
import { keepAwake } from './keep-awake.ts'
import { keyGuard } from './key-guard.ts'
import { leave, left, move } from './move.ts'
import { commentLine } from './plist-text.ts'
import { rollbackSteps } from './rollback.ts'
import { compareJob, compareRunningAgent } from './running.ts'

/** The steps of one action on a Mac. */
export function compileAgent(action: Action, input: RenderInput, facts: HostFacts): StepGroup {
  const setting = (job: Job) => keepAwake(job, facts)
  return compileAction(
    action,
    { write: (job) => write(job, facts), tidy, start, restart, stop, remove, unmark: unmarkAgent, setting },
    jobOf(action, input, facts),
  )
}

function write(job: Job, facts: HostFacts): GroupBody {
  if (job.old !== undefined) return move(job, job.old)
  const { input, action, path, agent, wasUp } = job
  const guards = [...job.guards, ...keyGuard(job)]
  const rendered = renderAgent(input)
  const files = writeFiles(rendered, acts.validatePlist(), { digest: action.relies_on.definition_digest, key: job.key })
  const written = [...files, acts.makeLogFolder(job, accountOwner(input))]
  const common = { precheck: job.prechecks, undo: rollbackSteps(job, rendered), cleanup: [forgetCopies(path, job.key.path)] }
  if (action.starts) return { ...common, steps: [...written, acts.reload(job, guards), ...dropKey(job.key)], postcheck: up(job) }
  const ours = checks.agentIsOurs(job)
  // It may be disabled and would not start at the next login. A job loaded from an older file may use an older key.
  if (wasUp) {
    const dropped = isLoadedAsWanted(job) ? dropKey(job.key) : []
    const steps = [...written, acts.letLogin(job), ...dropped]
    const cleanup = [forgetUnderServer(path, job.key, input.service, compareRunningAgent(input, facts))]
    return { ...common, steps, postcheck: [ours, checks.startsAtLogin(job, true)], cleanup }
  }
  // The next login would start whatever file is there: only an approved start enables it. A job loaded from an older file keeps running
  // that until it is unloaded, even if its start is refused.
  const unloads = agent !== null && (input.service.state === 'stopped' || !isLoadedAsWanted(job))
  // It does not run, and another process may hold its desired port until it starts.
  const idle = unloads ? [acts.unloadAgent(job, guards)] : []
  return {
    ...common,
    steps: [acts.keepFromLogin(job), ...written, ...idle, ...dropKey(job.key)],
    postcheck: [ours, checks.startsAtLogin(job, false)],
  }
}

/** A move that was cut off may have left copies in the other domain. */
function tidy({ path, key, prechecks, action, domain, label, input }: Job): GroupBody {
  const other = plistIn(otherDomain[domain], input.layout, label)
  const folder = other.slice(0, other.lastIndexOf('/') + 1)
  const isThere = action.changes.some(({ field, from }) => field === 'leftover' && from?.startsWith(folder) === true)
  return tidyUp(path, key, prechecks, isThere ? [other] : [])
}

function start(job: Job): GroupBody {
  const { path, prechecks } = job
  return {
    precheck: prechecks,
    steps: [acts.makeLogFolder(job, accountOwner(job.input)), begin(job), ...dropKey(job.key)],
    postcheck: up(job),
    undo: [acts.stopAgent(job, [checks.agentIsOurs(job)])],
    cleanup: [forgetCopies(path, job.key.path)],
  }
}

function restart(job: Job): GroupBody {
  const { prechecks, path } = job
  const guards = [...job.guards, ...keyGuard(job)]
  const act = isLoadedAsWanted(job) ? acts.restartInPlace(job, guards) : acts.reload(job, guards)
  return {
    precheck: prechecks,
    steps: [act, ...dropKey(job.key)],
    postcheck: up(job),
    undo: [],
    cleanup: [forgetCopies(path, job.key.path)],
  }
}

function stop(job: Job): GroupBody {
  if (job.action.momentary === true) return loadAndStop(job)
  const { prechecks, guards, path, wasUp, input, agent, action } = job
  const returns = action.temporary !== undefined
  // Checks while the old server still runs whether the new one could be started.
  const gate = returns ? [rehearseDefinition(renderAgent(input), acts.validatePlist())] : []
  return {
    precheck: prechecks,
    steps: [...gate, acts.stopAgent(job, guards)],
    postcheck: [checks.agentStaysDown(job), checks.startsAtLogin(job, false)],
    // A stopped Kind B is not started again, unless that was planned: its hour of warming is already lost.
    undo: wasUp && (restartsCheaply(input.service.kind) || returns) && agent?.pid ? [acts.runAsBefore(job, agent.pid)] : [],
    ...defined({ room: action.temporary?.ports.map(macPortFree) }),
    cleanup: [...dropKeyOfStop(action, job.key), forgetCopies(path, job.key.path)],
  }
}

/** One group, so that no other action comes between the start, which loading implies, and the stop. */
function loadAndStop(job: Job): GroupBody {
  const { prechecks, path, input } = job
  const guards = [...job.guards, ...keyGuard(job)]
  const stopped = acts.stopAgent(job, [checks.agentIsOurs(job)])
  return {
    precheck: prechecks,
    steps: [acts.makeLogFolder(job, accountOwner(input)), acts.reload(job, guards), stopped],
    postcheck: [checks.agentStaysDown(job), checks.startsAtLogin(job, false)],
    undo: [stopped],
    cleanup: [forgetCopies(path, job.key.path)],
  }
}

/** Removes only what converge created: models and logs stay. */
function remove(job: Job): GroupBody {
  const { prechecks, guards, path, key, old } = job
  const keyFile = key.was === 'there' ? [deletion(key.path)] : []
  const [leaving, gone] = old === undefined ? [[], []] : [leave(old, []), left(old)]
  return {
    precheck: prechecks,
    steps: [
      acts.removeAgent(job, guards),
      { ...deletion(path), guards: [checks.agentIsOurs(job)] },
      ...leaving,
      ...keyFile,
      forgetCopies(path, key.path, ...(old === undefined ? [] : [old.path])),
    ],
    postcheck: [checks.agentGone(job), fileGone(path), ...gone],
    undo: [],
  }
}

function unmarkAgent({ path, before, input }: Job): readonly Step[] {
  return unmark(path, before, ownershipLines(input).map(commentLine))
}

function begin(job: Job): RunStep {
  const guards = [...job.guards, ...keyGuard(job)]
  return isLoadedAsWanted(job) ? acts.kickstart(job, guards) : acts.reload(job, guards)
}

/** launchd reads a file only when it loads it. */
function isLoadedAsWanted({ agent, input }: Job): boolean {
  return agent !== null && compareJob(input, agent).length === 0
}

function up(job: Job): readonly Check[] {
  return [checks.agentStaysUp(job, job.log), checks.startsAtLogin(job, true)]
}
