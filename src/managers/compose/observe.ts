import { assertNever } from '../../errors/assert-never.ts'
import type { Container, DefinitionFile, HostFacts } from '../../model/facts.ts'
import type { Service } from '../../model/fleet.ts'
import { known, type Observed } from '../../model/observed.ts'
import { isAdopted } from '../adopted.ts'
import type { ServiceState } from '../manager.ts'
import { ownershipLabelOf } from '../ownership-label.ts'
import { definitionFile } from './definition.ts'
import { comesFromFile, composeLabels, fileOf, projectName, serviceKey } from './names.ts'
import { definitionLabel, ownershipLabelKey } from './project.ts'
import { crashLoop, isUp, keepsFailing, seenContainer, seenFile, serverIn } from './seen.ts'
import { ownPart } from './shared-block.ts'

/** What a host has of a service under compose; without an engine there is no container. */
export function observeCompose(service: Service, facts: HostFacts, org: string): Observed<ServiceState> {
  const { layout } = facts
  if (!layout.known) return layout
  const file = seenFile(service, facts)
  if (!file.known) return file
  const container = seenContainer(service, facts)
  if (!container.known) return container
  const ownershipLabel = ownershipLabelOf(org, service.name)
  const definition = definitionIn(service, file.value, ownershipLabel)
  const seen: Seen = {
    service,
    ownershipLabel,
    definition,
    adopted: isAdopted(service, org, facts, definition),
    container: container.value,
  }
  return known({
    definitionPath: definitionFile(layout.value.root, service),
    definition: whoseDefinition(seen),
    definitionDigest: definition?.digest ?? null,
    definitionContent: file.value?.content ?? null,
    ...lifeOf(container.value, facts),
    staleDefinition: definition !== null && container.value !== null && isStale(definition, container.value),
    notes: container.value === null ? [] : notesOn(container.value, seen),
    ...(container.value === null ? {} : crashLoopOf(container.value)),
  })
}

/** The engine waits before it restarts a container only if that ended within ten seconds. */
function crashLoopOf(container: Container): Pick<ServiceState, 'crashLoop'> {
  const { state, restartCount, exitCode, lastOutput = [] } = container
  const waits = state === 'restarting' && restartCount >= crashLoop
  if (!waits && !(state === 'running' && keepsFailing(container))) return {}
  const ended = waits ? `, and ended with exit code ${exitCode}` : ', and is unhealthy'
  return { crashLoop: { words: `was restarted ${restartCount} times by the engine${ended}`, lastOutput } }
}

interface Seen {
  readonly service: Service
  readonly ownershipLabel: string
  readonly definition: DefinitionFile | null
  readonly adopted: boolean
  readonly container: Container | null
}

function definitionIn(service: Service, file: DefinitionFile | null, ownershipLabel: string): DefinitionFile | null {
  return service.file === undefined || file === null ? file : ownPart(service, file, ownershipLabel)
}

/** A container without our ownership label makes the definition foreign, unless compose created it from the user's own file. */
function whoseDefinition({ service, definition, container, ownershipLabel, adopted }: Seen): ServiceState['definition'] {
  const isOfFile = container !== null && comesFromFile(container, service)
  if (container !== null && isForeign(container, ownershipLabel) && !(isOfFile && definition !== null)) return 'foreign'
  if (definition === null) return 'none'
  if (definition.mark === ownershipLabel) return 'ours'
  return adopted && (container === null || isOfFile) ? 'adopted' : 'foreign'
}

function lifeOf(container: Container | null, facts: HostFacts): Pick<ServiceState, 'activity' | 'process' | 'startsAtBoot'> {
  if (container === null) return { activity: 'not-loaded', process: null, startsAtBoot: false }
  return {
    activity: activityOf(container),
    process: isUp(container) ? processOf(container, facts) : null,
    startsAtBoot: startsAtBoot(container),
  }
}

export function isForeign({ labels }: Container, ownershipLabel: string): boolean {
  return labels[ownershipLabelKey] !== ownershipLabel
}

/** A paused container serves no requests, and one between two restarts has crashed; only the paused one kept its state. */
function activityOf(container: Container): ServiceState['activity'] {
  const { state } = container
  switch (state) {
    case 'running':
      return keepsFailing(container) ? 'failed' : 'running'
    case 'paused':
      return 'paused'
    case 'restarting':
    case 'dead':
      return 'failed'
    case 'created':
    case 'exited':
      return 'stopped'
    case 'removing':
      return 'not-loaded'
    default:
      return assertNever(state)
  }
}

/** The server's own process if the probe saw it, else the container's first one as the engine reports it. */
function processOf(container: Container, facts: HostFacts): ServiceState['process'] {
  const server = serverIn(container, facts)
  if (server !== undefined) return { pid: server.pid, start: server.start }
  return container.pid === 0 ? null : { pid: container.pid, start: container.startedAt }
}

/** The engine restarts what was up when it ended; what was never started, or was stopped, stays down (tested with 26.1). */
function startsAtBoot(container: Container): boolean {
  if (container.restartPolicy === 'always') return true
  return container.restartPolicy === 'unless-stopped' && isUp(container)
}

function isStale(definition: DefinitionFile, { labels }: Container): boolean {
  const made = labels[definitionLabel]
  return made !== undefined && !definition.content.includes(made)
}

function notesOn(container: Container, { service, ownershipLabel, adopted }: Seen): readonly string[] {
  const { state, health, exitCode, restartCount, oomKilled } = container
  return [
    ...(isForeign(container, ownershipLabel) && !adopted ? [`the container ${container.name} was not created by converge`] : []),
    ...elsewhere(container, service),
    ...(state === 'exited' || state === 'restarting' ? [`${state}, last exit code ${exitCode}`] : []),
    ...(state === 'paused' ? ['paused: it holds its memory and serves no requests'] : []),
    ...(oomKilled ? ['killed (out of memory)'] : []),
    ...(restartCount > 0 ? [`restarted ${restartCount} times by the engine`] : []),
    // Not visible on the port: the server answers although its container is unhealthy.
    ...(state === 'running' && health === 'unhealthy' ? ['its container is unhealthy'] : []),
  ]
}

/** A container of another project, another service or another file than the inventory says. */
function elsewhere(container: Container, service: Service): readonly string[] {
  const { labels, name } = container
  const project = labels[composeLabels.project]
  if (service.file === undefined || comesFromFile(container, service) || project === undefined) return []
  const files = fileOf(labels)
  const from = files === undefined ? '' : `, started from ${files}`
  const expected = `${serviceKey(service)} of the project ${projectName(service)} in ${service.file}`
  return [
    `${name} is the service ${labels[composeLabels.service] ?? '(unnamed)'} of the compose project ${project}${from}; the inventory says ${expected}`,
  ]
}
