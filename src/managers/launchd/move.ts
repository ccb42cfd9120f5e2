import type { Check, Step } from '../../model/step.ts'
import { restartsCheaply } from '../../servers/traits.ts'
import type { GroupBody } from '../compile-action.ts'
import { fileGone } from '../linux-checks.ts'
import type { Rendered } from '../manager.ts'
import { forgetCopies, keepPrevious, restorePrevious, seenToRun } from '../previous-copy.ts'
import { deletion, dropKey, putFilesBack, writeFiles } from '../write-files.ts'
import * as acts from './acts.ts'
import * as checks from './checks.ts'
import { accountOwner, renderAgent } from './definition.ts'
import { domainWords } from './domain.ts'
import type { Job, OldJob } from './job.ts'
import { keyGuard } from './key-guard.ts'

/**
 * From one domain to the other. The new file is disabled until the old job and its file are gone, so that no login or boot starts two servers,
 * wherever this is cut off: what is left of the old domain makes the next plan go on. The rollback brings back the old file and its server.
 */
export function move(job: Job, old: OldJob): GroupBody {
  const { action, path, key } = job
  const rendered = renderAgent(job.input)
  const written = writeFiles(rendered, acts.validatePlist(), { digest: action.relies_on.definition_digest, key })
  const isUpHere = job.wasUp && !action.interrupts
  const starts = action.starts ? [acts.reload(job, [checks.agentIsOurs(job), ...keyGuard(job)])] : []
  return {
    precheck: job.prechecks,
    steps: [
      ...(old.before === null ? [] : [keepPrevious([old.path], old.before)]),
      ...(isUpHere ? [] : [acts.keepFromLogin(job)]),
      ...written,
      acts.makeLogFolder(job, accountOwner(job.input)),
      ...leave(old, isUpHere ? [] : [...job.guards, ...keyGuard(job)]),
      ...(isUpHere ? [acts.letLogin(job)] : starts),
      ...dropKey(key),
    ],
    postcheck: [...arrived(job, isUpHere || action.starts), ...left(old)],
    undo: undoOf(job, old, rendered),
    cleanup: [forgetCopies(path, key.path, old.path)],
  }
}

/** Ends the job of the old domain and deletes its file. */
export function leave(old: OldJob, guards: readonly Check[]): readonly Step[] {
  if (old.noSession) return [{ ...deletion(old.path), guards: [...guards, checks.noSession(), checks.plistIsOurs(old)] }]
  const ours = checks.agentIsOurs(old)
  const unload = { ...acts.removeAgent(old, [...guards, ours]), label: `unload the ${domainWords[old.domain].job} ${old.label}` }
  return [unload, { ...deletion(old.path), guards: [ours] }]
}

export function left(old: OldJob): readonly Check[] {
  const label = `launchd has no ${domainWords[old.domain].job} ${old.label}`
  return [...(old.noSession ? [] : [{ ...checks.agentGone(old), label }]), fileGone(old.path)]
}

function arrived(job: Job, isUp: boolean): readonly Check[] {
  return [isUp ? checks.agentStaysUp(job, job.log) : checks.agentIsOurs(job), checks.startsAtLogin(job, isUp)]
}

/** A stopped Kind B is not started again: its hour of warming is already lost. */
function undoOf({ action, input, wasUp, before, path, key, ...job }: Job, old: OldJob, rendered: Rendered): readonly Step[] {
  const { kind } = input.service
  if (wasUp && action.interrupts && !restartsCheaply(kind)) return []
  const target = { ...job, path }
  const files = [
    ...putFilesBack(rendered, { digest: before, key }),
    ...(old.before === null ? [] : [restorePrevious([old.path], old.before)]),
  ]
  if (!wasUp) return endsHere(target, before, files)
  if (!action.interrupts) return files
  if (typeof old.agent?.pid === 'number') return [...endsHere(target, before, files), ...runsAgain(old, old.agent.pid)]
  // It was the server here that ran, and only a file of the old domain was left.
  if (typeof job.agent?.pid === 'number') return [...files, ...runsAgain(target, job.agent.pid)]
  return endsHere(target, before, files)
}

function endsHere(target: acts.LaunchdTarget, before: string | null, files: readonly Step[]): readonly Step[] {
  const ours = [checks.agentIsOurs(target)]
  const gone = before === null ? [{ ...deletion(target.path), guards: ours }] : []
  return [acts.unloadAgent(target, ours), acts.keepFromLogin(target), ...gone, ...files]
}

function runsAgain(target: acts.LaunchdTarget, pid: number): readonly Step[] {
  return [acts.runAsBefore(target, pid), seenToRun(checks.agentStaysUp(target, target.log))]
}
