import { ownMember } from '../../lib/own-member.ts'
import type { DefinitionFile, HostFacts } from '../../model/facts.ts'
import type { Service } from '../../model/fleet.ts'
import type { LaunchAgent } from '../../model/launchd-fact.ts'
import { mapObserved, type Observed } from '../../model/observed.ts'
import { isAdopted } from '../adopted.ts'
import type { ServiceState } from '../manager.ts'
import { ownershipLabelOf } from '../ownership-label.ts'
import { labelOf, plistIn } from './definition.ts'
import { commandFields, plistFields } from './fields.ts'
import { seenAgent, seenDefinition, seenProcess } from './seen.ts'

export function observeAgent(service: Service, facts: HostFacts, org: string): Observed<ServiceState> {
  const definition = seenDefinition(service, facts, org)
  if (!definition.known) return definition
  const agent = seenAgent(service, facts, org)
  if (!agent.known) return agent
  if (!facts.layout.known) return facts.layout
  const label = labelOf(service, org)
  const disabled = isDisabled(label, facts)
  if (!disabled.known) return disabled
  const path = plistIn(facts.layout.value, label)
  const seen = {
    ownershipLabel: ownershipLabelOf(org, service.name),
    path,
    definition: definition.value,
    adopted: isAdopted(service, org, facts, definition.value),
    agent: agent.value,
    disabled: disabled.value,
  }
  if (agent.value === null) return { known: true, value: stateOf(seen, null) }
  return mapObserved(seenProcess(agent.value, facts), (main) =>
    stateOf(seen, main === null ? null : { pid: main.pid, start: main.start }),
  )
}

function isDisabled(label: string, { launchd }: HostFacts): Observed<boolean> {
  return launchd.known ? mapObserved(launchd.value.disabled, (labels) => labels.includes(label)) : launchd
}

interface ObservedAgent {
  readonly ownershipLabel: string
  readonly path: string
  readonly definition: DefinitionFile | null
  readonly adopted: boolean
  readonly agent: LaunchAgent | null
  readonly disabled: boolean
}

function stateOf(seen: ObservedAgent, process: ServiceState['process']): ServiceState {
  const { path, definition, agent, disabled } = seen
  return {
    definitionPath: path,
    definition: whoseDefinition(seen),
    definitionDigest: definition?.digest ?? null,
    definitionContent: definition?.content ?? null,
    activity: agent === null ? 'not-loaded' : activityOf(agent),
    process,
    // Its KeepAlive depends on exits, so every login starts it, whatever RunAtLoad says.
    startsAtBoot: definition !== null && !disabled,
    staleDefinition: agent !== null && isStale(agent, definition),
    notes: agent === null ? [] : notesOn(agent),
  }
}

/** A foreign file at our path, or a job of that label from another path. */
function whoseDefinition({ ownershipLabel, path, definition, adopted, agent }: ObservedAgent): ServiceState['definition'] {
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

/** launchd reads a file only when it loads it. */
function isStale({ arguments: loaded = [] }: LaunchAgent, definition: DefinitionFile | null): boolean {
  if (definition === null) return false
  const onDisk = plistFields(definition.content)
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
