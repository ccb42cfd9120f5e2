import { seenContainer } from '../managers/compose/seen.ts'
import { labelOf } from '../managers/launchd/definition.ts'
import { allJobs } from '../managers/launchd/seen.ts'
import type { Container, Listener, Resident } from '../model/facts.ts'
import type { ServiceCase } from './service-case.ts'

/** Whether a resident server is a process of this service: by its supervisor's pid, its unit or its container. */
export function ownsResident(subject: ServiceCase, resident: Resident): boolean {
  const process = subject.state.known ? subject.state.value.process : null
  if (process !== null) {
    if (resident.pid === process.pid && resident.start === process.start) return true
    // An init in a container, or an interpreter, is the parent of the server itself.
    if (resident.ppid === process.pid) return true
  }
  // Also works if only its definition is unreadable.
  if (isLoaded(subject, resident)) return true
  if (resident.unit !== undefined && subject.question.units.includes(resident.unit)) return true
  return resident.container !== undefined && ownContainerIds(subject).some((id) => sameContainer(id, resident.container ?? ''))
}

/** In whichever domain of launchd: it may still have to move to the other one. */
function isLoaded({ facts, service, fleet }: ServiceCase, { pid }: Resident): boolean {
  const label = labelOf(service, fleet.settings.org)
  return allJobs(facts).some((job) => job.label === label && job.pid === pid)
}

/** Whether this service holds a listening port. A proxy, or no process, holds published ports, so the container counts. */
export function ownsListener(subject: ServiceCase, listener: Listener, pids: ReadonlySet<number>): boolean {
  if (listener.pid.known && pids.has(listener.pid.value)) return true
  return mayPublish(listener) && ownPublishedPorts(subject).includes(listener.port)
}

/** Whether it may listen for a container on a published port. */
export function mayPublish({ process }: Listener): boolean {
  return process === undefined || /^(docker-proxy|rootlesskit|rootlessport|com\.docker)/.test(process)
}

/** Whether the service already holds its desired port. */
export function listensAlready(subject: ServiceCase): boolean {
  return heldPorts(subject).includes(subject.service.port)
}

/** Ports on which the service listens now. */
export function heldPorts(subject: ServiceCase): readonly number[] {
  const { listeners, residents } = subject.facts
  if (!listeners.known) return []
  const pids = ownPids(subject, residents.known ? residents.value : [])
  const own = listeners.value.filter((one) => ownsListener(subject, one, pids))
  return [...new Set(own.map(({ port }) => port))]
}

/** Pids of a service's processes, including children of its servers. */
export function ownPids(subject: ServiceCase, residents: readonly Resident[]): ReadonlySet<number> {
  const pids = new Set(residents.filter((one) => ownsResident(subject, one)).map((one) => one.pid))
  if (subject.state.known && subject.state.value.process !== null) pids.add(subject.state.value.process.pid)
  for (const one of residents) if (pids.has(one.ppid)) pids.add(one.pid)
  return pids
}

function ownPublishedPorts(subject: ServiceCase): readonly number[] {
  return ownContainers(subject).flatMap(publishedPorts)
}

/** Only a running or paused container has published ports. */
export function publishedPorts({ state, ports }: Container): readonly number[] {
  return state === 'running' || state === 'paused' ? ports.map((mapping) => Number(mapping.split(':').at(-2))) : []
}

function ownContainerIds(subject: ServiceCase): readonly string[] {
  return ownContainers(subject).map((one) => one.id)
}

function ownContainers({ facts, service, manager }: ServiceCase): readonly Container[] {
  const seen = manager.isContainer ? seenContainer(service, facts) : undefined
  return seen?.known === true && seen.value !== null ? [seen.value] : []
}

/** Ids are short in a cgroup, and long or short from the engine. */
function sameContainer(a: string, b: string): boolean {
  return a !== '' && b !== '' && (a.startsWith(b) || b.startsWith(a))
}
