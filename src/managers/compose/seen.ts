import type { Container, DefinitionFile, HostFacts, Resident } from '../../model/facts.ts'
import type { Service } from '../../model/fleet.ts'
import { mapObserved, type Observed, unknown } from '../../model/observed.ts'
import { isServerKind } from '../../servers/traits.ts'
import type { NamedService, RenderInput } from '../manager.ts'
import { definitionFile } from './definition.ts'
import { keptOf } from './kept.ts'
import { comesFromFile, containerNames, isInFile } from './names.ts'
import type { PublishedPort } from './parts-of-block.ts'

export function askedDefinition(service: Service): string {
  return definitionFile('@root', service)
}

/** The compose file, whatever it contains. */
export function seenFile(service: Service, facts: HostFacts): Observed<DefinitionFile | null> {
  return facts.definitions[askedDefinition(service)] ?? unknown('not-gathered', 'the probe was not asked for the compose file')
}

/**
 * The container with the service's name, whatever created it; or else the one that compose created for it from the user's own file, even in another
 * project, so that the plan can say so.
 */
export function seenContainer(service: NamedService, facts: Pick<HostFacts, 'containers'>): Observed<Container | null> {
  const names = containerNames(service)
  return mapObserved(facts.containers, ({ containers }) => {
    const named = names.flatMap((name) => containers.filter((one) => one.name === name))
    return (
      named[0] ??
      containers.find((one) => comesFromFile(one, service)) ??
      containers.find((one) => isInFile(one, service)) ??
      null
    )
  })
}

/** What its container is called, or will be. */
export function nameOfContainer(input: Pick<RenderInput, 'service' | 'around'>, facts: HostFacts): string {
  const { service, around } = input
  const seen = seenContainer(service, facts)
  const [newer, older = newer] = containerNames(service)
  const kept = service.container ?? keptOf(service, around).name
  if (kept !== undefined) return kept
  return (seen.known ? seen.value?.name : undefined) ?? (usesUnderscores(facts) ? older : newer)
}

/** In the names of containers: docker-compose 1. */
function usesUnderscores({ containers }: HostFacts): boolean {
  const compose = containers.known ? containers.value.engine?.compose : undefined
  return compose?.known === true && /^v?1\./.test(compose.value.version)
}

/** Whether it has a process, or is between two restarts. */
export function isUp({ state }: Container): boolean {
  return state === 'running' || state === 'restarting' || state === 'paused'
}

/** Restarts after which a running container with a failing health check counts as failed. */
export const crashLoop = 3

/** It restarts again and again and never becomes healthy; the restart count alone may be old. */
export function keepsFailing({ restartCount, health }: Container): boolean {
  return restartCount >= crashLoop && health === 'unhealthy'
}

/** The server's own process in a container, if the probe saw it. */
export function serverIn(container: Container, { residents }: HostFacts): Resident | undefined {
  if (!residents.known) return undefined
  const inside = residents.value.filter(({ role, container: id }) => isServerKind(role) && belongsTo(id, container))
  return inside.find((one) => isFirstIn(container, one)) ?? inside[0]
}

/**
 * The container that a process runs in; undefined: none, or it is unknown. The engine must name it, or its parent, as the first process: any user can give
 * a control group of his own the name of a container.
 */
export function containerOf(
  { container: id, pid, ppid }: Resident,
  { containers }: Pick<HostFacts, 'containers'>,
): Container | undefined {
  return containers.known
    ? containers.value.containers.find((one) => belongsTo(id, one) && isFirstIn(one, { pid, ppid }))
    : undefined
}

/** The engine knows the first process of a container, which may be an init. */
function isFirstIn({ pid: first }: Container, { pid, ppid }: Pick<Resident, 'pid' | 'ppid'>): boolean {
  return first > 1 && (first === pid || first === ppid)
}

/** Of a running container; the facts do not have their addresses. */
export function portsOf({ ports }: Container): readonly PublishedPort[] {
  return ports.map((mapping) => {
    const [, published = '', target = ''] = /(\d+):(\d+)(?:\/tcp)?$/.exec(mapping) ?? []
    return { address: undefined, published, target }
  })
}

function belongsTo(id: string | undefined, container: Container): boolean {
  return id !== undefined && id !== '' && container.id.startsWith(id)
}
