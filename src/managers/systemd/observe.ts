import type { DefinitionFile, HostFacts, UnitFact } from '../../model/facts.ts'
import type { Service } from '../../model/fleet.ts'
import { mapObserved, type Observed } from '../../model/observed.ts'
import { isAdopted } from '../adopted.ts'
import type { ServiceState } from '../manager.ts'
import { ownershipLabelOf } from '../ownership-label.ts'
import { unitName, unitPath } from './definition.ts'
import { isUp, seenDefinition, seenProcess, seenUnit } from './seen.ts'

/** Restarts after which a unit that waits for the next one counts as failed. */
const crashLoop = 3

export function observeUnit(service: Service, facts: HostFacts, org: string): Observed<ServiceState> {
  const definition = seenDefinition(service, facts)
  if (!definition.known) return definition
  const unit = seenUnit(service, facts)
  if (!unit.known) return unit
  const seen = {
    service,
    definition: definition.value,
    adopted: isAdopted(service, org, facts, definition.value),
    unit: unit.value,
    ownershipLabel: ownershipLabelOf(org, service.name),
  }
  if (unit.value === null || !isUp(unit.value)) return { known: true, value: stateOf(seen, null) }
  return mapObserved(seenProcess(unit.value, facts), (main) =>
    stateOf(seen, main === null ? null : { pid: main.pid, start: main.start }),
  )
}

/** Every drop-in that systemd uses must have been read. */
function overlayOf({ service, definition, unit }: ObservedUnit): Pick<ServiceState, 'overlay'> {
  const used = unit === null ? [] : ownDropIns(unit, service)
  if (used.length === 0) return {}
  const lines = new Set((definition?.overlay ?? '').split('\n'))
  return { overlay: used.every((path) => lines.has(`# ${path}`)) ? (definition?.overlay ?? null) : null }
}

function ownDropIns({ dropIns }: UnitFact, service: Service): readonly string[] {
  return dropIns.filter((path) => path.includes(`/${unitName(service)}.d/`))
}

interface ObservedUnit {
  readonly service: Service
  readonly definition: DefinitionFile | null
  readonly adopted: boolean
  readonly unit: UnitFact | null
  readonly ownershipLabel: string
}

function stateOf(seen: ObservedUnit, process: ServiceState['process']): ServiceState {
  const { service, definition, unit } = seen
  return {
    definitionPath: unitPath(service),
    definition: whoseDefinition(seen),
    definitionDigest: definition?.digest ?? null,
    definitionContent: definition?.content ?? null,
    activity: unit === null ? 'not-loaded' : activityOf(unit),
    process,
    startsAtBoot: unit?.unitFileState === 'enabled',
    staleDefinition: unit?.needDaemonReload === true,
    notes: unit === null ? [] : notesOn(unit, service),
    ...overlayOf(seen),
    ...(unit === null ? {} : crashLoopOf(unit)),
  }
}

/** For so many seconds after its last failure, a unit is not started again. */
const crashLoopS = 3600

/** It hit its limit of starts, failed after several restarts, or waits for the next one. Of an unknown time, it failed a moment ago. */
function crashLoopOf({
  activeState,
  subState,
  result,
  restarts,
  unchangedS = 0,
  lastOutput = [],
}: UnitFact): Pick<ServiceState, 'crashLoop'> {
  const isDown = activeState === 'failed' || subState === 'auto-restart'
  if (!isDown || (result !== 'start-limit-hit' && restarts < crashLoop) || unchangedS > crashLoopS) return {}
  const times = restarts === 0 ? 'again and again' : `${restarts} times`
  return { crashLoop: { words: `was restarted ${times} by systemd, and failed (${result})`, lastOutput } }
}

/** A foreign file at our path, or a unit of that name elsewhere, which ours would hide. */
function whoseDefinition({ service, definition, adopted, unit, ownershipLabel }: ObservedUnit): ServiceState['definition'] {
  const elsewhere = unit !== null && unit.fragmentPath !== '' && unit.fragmentPath !== unitPath(service)
  if (definition === null) return elsewhere ? 'foreign' : 'none'
  if (definition.mark === ownershipLabel) return 'ours'
  return adopted && !elsewhere ? 'adopted' : 'foreign'
}

function activityOf({ activeState, subState, restarts }: UnitFact): ServiceState['activity'] {
  if (activeState === 'failed') return 'failed'
  if (activeState === 'inactive') return 'stopped'
  return subState === 'auto-restart' && restarts >= crashLoop ? 'failed' : 'running'
}

function notesOn(unit: UnitFact, service: Service): readonly string[] {
  const { activeState, result, restarts, execMainStatus, loadState, subState } = unit
  return [
    ...(loadState === 'loaded' ? [] : [`systemd cannot use the unit: ${loadState}`]),
    ...(activeState === 'failed' || subState === 'auto-restart' ? [`failed: ${result}, exit status ${execMainStatus}`] : []),
    ...(restarts > 0 ? [`restarted ${restarts} times by systemd`] : []),
    ...ownDropIns(unit, service).map((path) => `changed by the drop-in ${path}`),
  ]
}
