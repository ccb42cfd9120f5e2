import type { Container, DefinitionFile, HostFacts } from '../../model/facts.ts'
import type { Service } from '../../model/fleet.ts'
import { mapObserved, type Observed, unknown } from '../../model/observed.ts'

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
