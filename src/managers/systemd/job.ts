import type { Action } from '../../model/action.ts'
import type { HostFacts, UnitFact } from '../../model/facts.ts'
import type { Check } from '../../model/step.ts'
import { seenKeyFile } from '../key-file.ts'
import { definitionUnchanged, portFree, processUnchanged, runsAsRoot, sameBoot } from '../linux-checks.ts'
import type { RenderInput } from '../manager.ts'
import * as checks from './checks.ts'
import { unitName, unitPath } from './definition.ts'
import { seenUnit } from './seen.ts'

/** One action with what is known about its service. */
export interface Job {
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

export function jobOf(action: Action, input: RenderInput, facts: HostFacts): Job {
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
