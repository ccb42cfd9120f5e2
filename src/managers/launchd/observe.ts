import { oncePerObject } from '../../lib/once-per-object.ts'
import { ownMember } from '../../lib/own-member.ts'
import type { FieldChange } from '../../model/action.ts'
import type { DefinitionFile, HostFacts } from '../../model/facts.ts'
import type { Service } from '../../model/fleet.ts'
import type { LaunchAgent } from '../../model/launchd-fact.ts'
import { known, mapObserved, type Observed } from '../../model/observed.ts'
import { isAdopted } from '../adopted.ts'
import { restartOf } from '../compare-fields.ts'
import type { ServiceState } from '../manager.ts'
import { ownershipLabelOf } from '../ownership-label.ts'
import { commandFields, plistFields } from './fields.ts'
import { isRunning, type Place, type Places, placesOf } from './places.ts'
import { seenProcess } from './seen.ts'

export function observeAgent(service: Service, facts: HostFacts, org: string): Observed<ServiceState> {
  const places = placesOf(service, facts, org)
  if (!places.known) return places
  const { agent } = holder(places.value)
  const seen = {
    ...places.value,
    ownershipLabel: ownershipLabelOf(org, service.name),
    adopted: isAdopted(service, org, facts, places.value.here.definition),
  }
  const process = agent === null ? known(null) : seenProcess(agent, facts)
  return mapObserved(process, (main) => ({
    ...stateOf(seen, main === null ? null : { pid: main.pid, start: main.start }),
    ...moveOf(places.value, service),
  }))
}

/** The place whose job says how the service is. */
export function holder({ here, elsewhere }: Places): Place {
  if (elsewhere === undefined || isRunning(here)) return here
  return isRunning(elsewhere) || here.agent === null ? elsewhere : here
}

function moveOf({ here, elsewhere }: Places, { kind }: Service): Pick<ServiceState, 'moves' | 'needsRoot'> {
  const root = [here, elsewhere].some((place) => place?.domain === 'system') ? ({ needsRoot: true } as const) : {}
  if (elsewhere === undefined) return root
  const restarts = isRunning(elsewhere) && !isRunning(here)
  const moves: FieldChange = {
    field: 'domain',
    from: elsewhere.domain,
    to: here.domain,
    effect: restarts ? restartOf(kind) : 'none',
  }
  return { ...root, moves }
}

interface SeenPlaces extends Places {
  readonly ownershipLabel: string
  readonly adopted: boolean
}

function stateOf(seen: SeenPlaces, process: ServiceState['process']): ServiceState {
  const { here, elsewhere } = seen
  const { agent } = holder(seen)
  return {
    definitionPath: here.path,
    definition: whoseDefinition(seen),
    definitionDigest: here.definition?.digest ?? null,
    // What moves is compared with what it was.
    definitionContent: (here.definition ?? elsewhere?.definition)?.content ?? null,
    activity: agent === null ? 'not-loaded' : activityOf(agent),
    process,
    startsAtBoot: startsItself(here) || (elsewhere !== undefined && startsItself(elsewhere)),
    staleDefinition: here.agent !== null && isStale(here.agent, here.definition),
    notes: agent === null ? [] : notesOn(agent),
    ...crashLoopOf(agent),
  }
}

/** Restarts after which it crashes over and over. */
const crashLoop = 3

/** launchd makes a job wait only if it ended within ten seconds of its start. */
function crashLoopOf(agent: LaunchAgent | null): Pick<ServiceState, 'crashLoop'> {
  const { state, runs, lastOutput = [] } = agent ?? {}
  if (state !== 'spawn scheduled' || runs === undefined || runs <= crashLoop) return {}
  return { crashLoop: { words: `was started ${runs} times by launchd, and ended within seconds of the last start`, lastOutput } }
}

/** Its KeepAlive depends on exits, so every login starts an agent and every boot a daemon, whatever RunAtLoad says. */
function startsItself({ definition, disabled }: Place): boolean {
  return definition !== null && !disabled
}

/** A foreign file at our path, or a job of that label from another path. */
function whoseDefinition({ ownershipLabel, adopted, here }: SeenPlaces): ServiceState['definition'] {
  const { definition, agent, path } = here
  const elsewhere = agent?.path !== undefined && agent.path !== path
  if (definition === null) return elsewhere ? 'foreign' : 'none'
  if (definition.mark === ownershipLabel) return 'ours'
  return adopted && !elsewhere ? 'adopted' : 'foreign'
}

function activityOf({ pid, lastExit, lastSignal, lastReason, state }: LaunchAgent): ServiceState['activity'] {
  if (pid !== null) return 'running'
  const crashed = lastSignal !== undefined || lastReason !== undefined || (lastExit !== null && lastExit !== 0)
  return crashed || state === 'spawn scheduled' ? 'failed' : 'stopped'
}

const fieldsOnDisk = oncePerObject(({ content }: DefinitionFile) => plistFields(content))

/** launchd reads a file only when it loads it. */
function isStale({ arguments: loaded = [] }: LaunchAgent, definition: DefinitionFile | null): boolean {
  if (definition === null) return false
  const onDisk = fieldsOnDisk(definition)
  // Unreadable with its keys redacted: nothing can be compared.
  if (onDisk === undefined) return false
  const running = commandFields(loaded)
  const names = new Set([...Object.keys(running), ...Object.keys(onDisk).filter((name) => name.startsWith('command.'))])
  return [...names].some(
    (name) =>
      ownMember(running, name)?.includes('***') !== true && ownMember(onDisk, name)?.trim() !== ownMember(running, name)?.trim(),
  )
}

function notesOn({ pid, lastExit, lastSignal, lastReason, pended, runs }: LaunchAgent): readonly string[] {
  if (pid !== null) return runs !== undefined && runs > 1 ? [`started ${runs} times by launchd`] : []
  return [
    ...(lastSignal === undefined ? [] : [`its last run ended by signal ${lastSignal}`]),
    ...(lastReason === undefined ? [] : [`the system ended its last run: ${lastReason}`]),
    ...(lastExit === null || lastExit === 0 ? [] : [`its last run ended with exit status ${lastExit}`]),
    ...(pended === undefined ? [] : [`launchd delays its start (${pended})`]),
  ]
}
