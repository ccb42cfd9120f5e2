import type { Action } from '../../model/action.ts'
import type { HostFacts, UnitFact } from '../../model/facts.ts'
import type { Check } from '../../model/step.ts'
import { adoptedDigest } from '../adopted.ts'
import { type KeyBefore, keyBefore } from '../key-file.ts'
import { definitionUnchanged, portFree, processUnchanged, runsAsRoot, sameBoot } from '../linux-checks.ts'
import type { RenderInput } from '../manager.ts'
import { mayBeForeign } from '../may-be-foreign.ts'
import { modelUnchanged } from '../model-unchanged.ts'
import { ownershipLabelOf } from '../ownership-label.ts'
import type { SystemdTarget } from './acts.ts'
import * as checks from './checks.ts'
import { keyFilePath, unitName, unitPath } from './definition.ts'
import { observeUnit } from './observe.ts'
import { isUp, seenUnit } from './seen.ts'

/** One action, and the facts about its service. */
export interface Job extends SystemdTarget {
  readonly action: Action
  readonly input: RenderInput
  /** SHA-256 of the unit file on disk; null: none. */
  readonly before: string | null
  /** The unit in systemd; null: none. */
  readonly seen: UnitFact | null
  /** Whether it was up, and started at boot, when this action began; false after a stop of the same plan. */
  readonly wasUp: boolean
  readonly wasEnabled: boolean
  readonly key: KeyBefore
  readonly prechecks: readonly Check[]
  /** Checked again right before something is started or stopped. */
  readonly guards: readonly Check[]
}

export function jobOf(action: Action, input: RenderInput, facts: HostFacts): Job {
  const { service } = input
  const unit = unitName(service)
  const path = unitPath(service)
  const observed = seenUnit(service, facts)
  const seen = observed.known ? observed.value : null
  const ownershipLabel = ownershipLabelOf(input.settings.org, service.name)
  const held = guardsOf(action, unit, seen)
  const state = observeUnit(service, facts, input.settings.org)
  const adopted = adoptedDigest(state)
  const ours = checks.unitIsOurs({ unit, path, ownershipLabel, ...adopted })
  const stopped = action.relies_on.process === null && seen?.activeState === 'active'
  return {
    action,
    input,
    unit,
    path,
    ownershipLabel,
    ...adopted,
    grace: service.stopTimeoutS,
    before: action.relies_on.definition_digest ?? null,
    seen,
    wasUp: seen !== null && isUp(seen) && !stopped,
    wasEnabled: seen?.unitFileState === 'enabled' && !stopped,
    key: keyBefore(keyFilePath(input), input, facts),
    // Before a write the digest identifies the file: it may be a foreign one that was approved.
    prechecks: [
      ...prechecksOf(action, unit, path),
      ...modelUnchanged(action, service, facts, 'linux'),
      mayBeForeign(action) ? checks.unitComesFrom(unit, path) : ours,
      ...held,
    ],
    guards: [ours, ...held],
  }
}

function prechecksOf({ relies_on }: Action, unit: string, path: string): readonly Check[] {
  const { boot_id, definition_digest } = relies_on
  return [
    ...(boot_id === undefined ? [] : [sameBoot(boot_id)]),
    runsAsRoot('system units need'),
    checks.systemdRuns(unit),
    ...(definition_digest === undefined ? [] : [definitionUnchanged(path, definition_digest)]),
  ]
}

/** A crash-looping unit only has a process at times: a check that it is down would fail at random. */
function guardsOf({ relies_on }: Action, unit: string, seen: UnitFact | null): readonly Check[] {
  const { process, free_port } = relies_on
  const flickers = seen !== null && seen.activeState === 'activating'
  return [
    ...(process === null && !flickers ? [checks.unitDown(unit)] : []),
    ...(process === undefined || process === null ? [] : [processUnchanged(process), checks.unitHolds(unit, process.pid)]),
    ...(free_port === undefined ? [] : [portFree(free_port)]),
  ]
}
