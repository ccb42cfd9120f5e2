import { assertNever } from '../../errors/assert-never.ts'
import type { Container, DefinitionFile, HostFacts } from '../../model/facts.ts'
import type { Service } from '../../model/fleet.ts'
import { known, type Observed } from '../../model/observed.ts'
import type { ServiceState } from '../manager.ts'
import { ownershipLabelOf } from '../ownership-label.ts'
import { definitionFile } from './definition.ts'
import { definitionLabel, ownershipLabelKey } from './project.ts'
import { isUp, keepsFailing, seenContainer, seenDefinition, serverIn } from './seen.ts'

/** What a host has of a service under compose; without an engine there is no container. */
export function observeCompose(service: Service, facts: HostFacts, org: string): Observed<ServiceState> {
  const { layout } = facts
  if (!layout.known) return layout
  const definition = seenDefinition(service, facts)
  if (!definition.known) return definition
  const container = seenContainer(service, facts)
  if (!container.known) return container
  const path = definitionFile(layout.value.root, service.name)
  return known(stateOf(path, ownershipLabelOf(org, service.name), definition.value, container.value, facts))
}

function stateOf(
  definitionPath: string,
  ownershipLabel: string,
  definition: DefinitionFile | null,
  container: Container | null,
  facts: HostFacts,
): ServiceState {
  return {
    definitionPath,
    definition: whoseDefinition(ownershipLabel, definition, container),
    definitionDigest: definition?.digest ?? null,
    definitionContent: definition?.content ?? null,
    ...lifeOf(container, facts),
    staleDefinition: definition !== null && container !== null && isStale(definition, container),
    notes: container === null ? [] : notesOn(container, ownershipLabel),
  }
}

/** A container without our ownership label makes the definition foreign. */
function whoseDefinition(
  ownershipLabel: string,
  definition: DefinitionFile | null,
  container: Container | null,
): ServiceState['definition'] {
  if (container !== null && isForeign(container, ownershipLabel)) return 'foreign'
  if (definition === null) return 'none'
  return definition.mark === ownershipLabel ? 'ours' : 'foreign'
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

function notesOn(container: Container, ownershipLabel: string): readonly string[] {
  const { state, health, exitCode, restartCount, oomKilled } = container
  return [
    ...(isForeign(container, ownershipLabel) ? [`the container ${container.name} was not created by converge`] : []),
    ...(state === 'exited' || state === 'restarting' ? [`${state}, last exit code ${exitCode}`] : []),
    ...(state === 'paused' ? ['paused: it holds its memory and serves no requests'] : []),
    ...(oomKilled ? ['killed (out of memory)'] : []),
    ...(restartCount > 0 ? [`restarted ${restartCount} times by the engine`] : []),
    // Not visible on the port: the server answers although its container is unhealthy.
    ...(state === 'running' && health === 'unhealthy' ? ['its container is unhealthy'] : []),
  ]
}
