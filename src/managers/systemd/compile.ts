import { assertNever } from '../../errors/assert-never.ts'
import { InternalError } from '../../errors/converge-error.ts'
import type { Action } from '../../model/action.ts'
import type { HostFacts, UnitFact } from '../../model/facts.ts'
import type { Check, Step, StepGroup } from '../../model/step.ts'
import { seenKeyFile } from '../key-file.ts'
import { definitionUnchanged, portFree, processUnchanged, runsAsRoot, sameBoot } from '../linux-checks.ts'
import type { Rendered, RenderInput } from '../manager.ts'
import { deletePrevious, keepPrevious, restorePrevious } from '../previous-copy.ts'
import { putFiles } from '../put-files.ts'
import * as acts from './acts.ts'
import * as checks from './checks.ts'
import { accountOf, keyFilePath, renderUnit, unitName, unitPath } from './definition.ts'
import { isUp, seenUnit } from './seen.ts'

/** What one action sends to a host that systemd runs. */
export function compileUnit(action: Action, input: RenderInput, facts: HostFacts): StepGroup {
  const job = jobOf(action, input, facts)
  const group = { action: action.id, service: action.service }
  switch (action.kind) {
    case 'install':
    case 'update':
      return { ...group, ...write(job) }
    case 'start':
      return { ...group, ...start(job) }
    case 'restart':
      return { ...group, ...restart(job) }
    case 'stop':
      return { ...group, ...stop(job) }
    case 'remove':
      return { ...group, ...remove(job) }
    case 'noop':
    case 'download':
    case 'host-setting':
      throw new InternalError(`systemd has nothing to do for ${action.id}`)
    default:
      return assertNever(action.kind)
  }
}

type Plan = Omit<StepGroup, 'action' | 'service'>

interface Job {
  readonly action: Action
  readonly input: RenderInput
  readonly unit: string
  readonly path: string
  readonly grace: number
  /** SHA-256 of the unit file on disk; null: none. */
  readonly before: string | null
  /** What systemd holds of it; null: nothing. */
  readonly seen: UnitFact | null
  readonly hasKeyFile: boolean
  readonly prechecks: readonly Check[]
  /** Tested again at the moment something is started or ended. */
  readonly guards: readonly Check[]
}

function jobOf(action: Action, input: RenderInput, facts: HostFacts): Job {
  const { service } = input
  const unit = unitName(service)
  const path = unitPath(service)
  const observed = seenUnit(service, facts)
  const seen = observed.known ? observed.value : null
  const keyFile = seenKeyFile(service, facts)
  const guards = guardsOf(action, unit, seen)
  return {
    action,
    input,
    unit,
    path,
    grace: service.stopTimeoutS,
    before: action.relies_on.definition_digest ?? null,
    seen,
    hasKeyFile: keyFile.known && keyFile.value !== null,
    prechecks: [...prechecksOf(action, path), ...guards],
    guards,
  }
}

function prechecksOf({ relies_on }: Action, path: string): readonly Check[] {
  const { boot_id, definition_digest } = relies_on
  return [
    ...(boot_id === undefined ? [] : [sameBoot(boot_id)]),
    runsAsRoot('system units need'),
    checks.systemdRuns(),
    ...(definition_digest === undefined ? [] : [definitionUnchanged(path, definition_digest)]),
  ]
}

/** A unit that crashes again and again has a process by turns: only its being down could be asked, and would fail by chance. */
function guardsOf({ relies_on }: Action, unit: string, seen: UnitFact | null): readonly Check[] {
  const { process, free_port } = relies_on
  const flickers = seen !== null && seen.activeState === 'activating'
  return [
    ...(process === null && !flickers ? [checks.unitDown(unit)] : []),
    ...(process === undefined || process === null ? [] : [processUnchanged(process), checks.unitHolds(unit, process.pid)]),
    ...(free_port === undefined ? [] : [portFree(free_port)]),
  ]
}

function write(job: Job): Plan {
  const { input, unit, action, guards, grace, seen } = job
  const rendered = renderUnit(input)
  const kept: readonly Step[] = job.before === null ? [] : [keepPrevious(paths(rendered), job.before)]
  const definitionGuard = job.before === null ? [definitionUnchanged(job.path, null)] : []
  const files = putFiles(rendered, acts.validateUnit(unit, accountOf(input)), definitionGuard)
  const before = [...kept, ...files, acts.daemonReload()]
  const undo = wayBack(job, rendered)
  const untouched = !action.interrupts && seen !== null && isUp(seen)
  if (untouched || !action.starts) {
    const enabled = input.service.state === 'running' && untouched
    const postcheck = [checks.unitLoaded(unit), checks.unitEnabled(unit, enabled)]
    return { precheck: job.prechecks, steps: [...before, acts.setBoot(unit, enabled)], postcheck, undo }
  }
  const ready = [...guards, ...keyGuard(job)]
  const act = seen !== null && isUp(seen) ? acts.enableAndRestart(unit, grace, ready) : acts.enableAndStart(unit, ready)
  return { precheck: job.prechecks, steps: [...before, act], postcheck: upAtBoot(unit), undo }
}

/** Nothing is started again where a Kind B was ended: its hour of warming is lost already. */
function wayBack({ action, input, before, unit, grace, seen }: Job, rendered: Rendered): readonly Step[] {
  const up = seen !== null && isUp(seen)
  if (up && action.interrupts && input.service.kind === 'B') return []
  const process = action.relies_on.process ?? undefined
  const reload = acts.daemonReload()
  if (before !== null) {
    const restored = restorePrevious(paths(rendered), before)
    if (!up) return [acts.stopIfThere(unit, grace), restored, reload]
    return action.interrupts && process !== undefined
      ? [restored, reload, acts.runAsBefore(unit, grace, process)]
      : [restored, reload]
  }
  const files = [rendered.definition, ...(rendered.keyFile === undefined ? [] : [rendered.keyFile])]
  const deletions = files.map(({ path }) => deletion(path))
  return up ? [...deletions, reload] : [acts.stopIfThere(unit, grace), ...deletions, reload]
}

function start(job: Job): Plan {
  const { unit, grace, guards, prechecks, seen } = job
  const ready = [...guards, ...keyGuard(job)]
  const stuck = seen !== null && isUp(seen)
  return {
    precheck: prechecks,
    steps: [acts.daemonReload(), stuck ? acts.enableAndRestart(unit, grace, ready) : acts.enableAndStart(unit, ready)],
    postcheck: upAtBoot(unit),
    undo: [acts.stopIfThere(unit, grace)],
  }
}

function restart(job: Job): Plan {
  const { unit, grace, guards, prechecks } = job
  return {
    precheck: prechecks,
    steps: [acts.daemonReload(), acts.enableAndRestart(unit, grace, [...guards, ...keyGuard(job)])],
    postcheck: upAtBoot(unit),
    undo: [],
  }
}

function stop({ unit, grace, guards, prechecks, input }: Job): Plan {
  return {
    precheck: prechecks,
    steps: [acts.disableAndStop(unit, grace, guards)],
    postcheck: [checks.unitDown(unit), checks.unitEnabled(unit, false)],
    undo: input.service.kind === 'A' ? [acts.enableAndStart(unit, [])] : [],
  }
}

/** What converge made, and nothing else: models, drop-ins and whatever the journal has stay. */
function remove({ unit, path, grace, guards, prechecks, hasKeyFile, input, before }: Job): Plan {
  const key = keyFilePath(input)
  const keyFiles: readonly Step[] = hasKeyFile ? [deletion(key), deletePrevious(key)] : []
  const end = before === null ? acts.stopIfThere(unit, grace) : acts.disableAndStop(unit, grace, guards)
  return {
    precheck: prechecks,
    steps: [end, deletion(path), deletePrevious(path), ...keyFiles, acts.daemonReload()],
    postcheck: [checks.unitGone(unit)],
    undo: [],
  }
}

function upAtBoot(unit: string): readonly Check[] {
  return [checks.unitLoaded(unit), checks.unitStaysUp(unit), checks.unitEnabled(unit, true)]
}

/** Kind A opens its key file itself; for Kind B systemd reads it. */
function keyGuard({ input }: Job): readonly Check[] {
  const { service, key } = input
  const reads = service.kind === 'A' && key !== undefined && service.keyDelivery === 'file'
  return reads ? [checks.accountReads(accountOf(input), keyFilePath(input))] : []
}

function deletion(path: string): Step {
  return { do: 'delete', label: `delete ${path}`, guards: [], path }
}

function paths({ definition, keyFile }: Rendered): readonly [string, ...string[]] {
  return keyFile === undefined ? [definition.path] : [definition.path, keyFile.path]
}
