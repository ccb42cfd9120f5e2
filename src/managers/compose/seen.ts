import type { Container, DefinitionFile, HostFacts, Resident } from '../../model/facts.ts'
import type { Service } from '../../model/fleet.ts'
import { mapObserved, type Observed, unknown } from '../../model/observed.ts'
import { isServerKind } from '../../servers/traits.ts'

export function askedDefinition(service: Service): string {
  return `@root/compose/${service.name}/compose.yaml`
}

export function seenDefinition(service: Service, facts: HostFacts): Observed<DefinitionFile | null> {
  return facts.definitions[askedDefinition(service)] ?? unknown('not-gathered', 'the probe was not asked for the compose file')
}

/** The container with the service's name, whatever created it. */
export function seenContainer(service: Service, facts: HostFacts): Observed<Container | null> {
  return mapObserved(facts.containers, ({ containers }) => containers.find(({ name }) => name === service.name) ?? null)
}

/** Whether it has a process, or is between two restarts. */
export function isUp({ state }: Container): boolean {
  return state === 'running' || state === 'restarting' || state === 'paused'
}

/** Restarts after which a running container with a failing health check counts as failed. */
const crashLoop = 3

/** It restarts again and again and never becomes healthy; the restart count alone may be old. */
export function keepsFailing({ restartCount, health }: Container): boolean {
  return restartCount >= crashLoop && health === 'unhealthy'
}

/** The server's own process in a container, if the probe saw it. */
export function serverIn(container: Container, { residents }: HostFacts): Resident | undefined {
  if (!residents.known) return undefined
  return residents.value.find(({ role, container: id }) => isServerKind(role) && belongsTo(id, container))
}

function belongsTo(id: string | undefined, container: Container): boolean {
  return id !== undefined && id !== '' && container.id.startsWith(id)
}
