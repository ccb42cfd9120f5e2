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

/** The container that has the service's name, whoever made it. */
export function seenContainer(service: Service, facts: HostFacts): Observed<Container | null> {
  return mapObserved(facts.containers, ({ containers }) => containers.find(({ name }) => name === service.name) ?? null)
}

/** Whether a process of it is there: between two restarts counts. */
export function isUp({ state }: Container): boolean {
  return state === 'running' || state === 'restarting' || state === 'paused'
}

/** Restarts after which one that is up and fails its health check is called failed: the engine has tried often enough. */
const crashLoop = 3

/** It comes up again and again and is never well; the count alone may be of another year. */
export function keepsFailing({ restartCount, health }: Container): boolean {
  return restartCount >= crashLoop && health === 'unhealthy'
}

/** The server's own process in a container, where the probe saw it. */
export function serverIn(container: Container, { residents }: HostFacts): Resident | undefined {
  if (!residents.known) return undefined
  return residents.value.find(({ role, container: id }) => isServerKind(role) && belongsTo(id, container))
}

function belongsTo(id: string | undefined, container: Container): boolean {
  return id !== undefined && id !== '' && container.id.startsWith(id)
}
