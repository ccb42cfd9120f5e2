import type { HostFacts } from '../model/facts.ts'
import type { Fleet, Host, Service } from '../model/fleet.ts'
import { heldPorts, ownsResident } from './own-processes.ts'
import { openCase, type ServiceCase } from './service-case.ts'

/**
 * The port for HTTP requests to a service: where it listens now. Its desired port may belong to another process until a change is applied,
 * whose answer (idle, warm) would be mistaken for this service's, and which would receive its key. Undefined: it listens nowhere, and another
 * process has its port.
 */
export function askedPort(fleet: Fleet, host: Host, service: Service, facts: HostFacts): number | undefined {
  const open = (one: Service): ServiceCase => openCase(fleet, host, one, { facts, keys: new Map() })
  const subject = open(service)
  const held = heldPorts(subject)
  if (held.includes(service.port)) return service.port
  if (held.length > 0) return held.find((port) => named(subject).includes(port)) ?? held[0]
  if (isForeignPort(subject)) return undefined
  const others = host.services.filter((one) => one.name !== service.name)
  return others.some((one) => heldPorts(open(one)).includes(service.port)) ? undefined : service.port
}

/** All holders of its desired port are known, and none is its own process. */
function isForeignPort({ service, facts, state }: ServiceCase): boolean {
  if (!state.known || !facts.residents.known || !facts.listeners.known) return false
  const holders = facts.listeners.value.filter(({ port }) => port === service.port)
  return holders.length > 0 && holders.every(({ pid }) => pid.known)
}

/** Ports that its own processes name in their arguments. */
function named(subject: ServiceCase): readonly number[] {
  const { residents } = subject.facts
  if (!residents.known) return []
  return residents.value.filter((one) => ownsResident(subject, one)).flatMap(({ port }) => port ?? [])
}
