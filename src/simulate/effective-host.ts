import { isManagedService } from '../inventory/is-managed-service.ts'
import { momentMs } from '../lib/moment.ts'
import { ownMember } from '../lib/own-member.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Host, Service } from '../model/fleet.ts'
import type { Operation, Override } from '../model/operation.ts'

/** What changes the states of services apart from the inventory. */
export interface StateRequest {
  /** What a person asks of a service now; undefined: nothing. */
  readonly operationOf?: (service: string) => Operation | undefined
  /** Whether overrides of the service that last until the next apply end now. */
  readonly applies?: (service: string) => boolean
}

/** The host with the states that its services are to have: the inventory's, unless an override holds or an operation asks for another. */
export function effectiveHost(host: Host, facts: HostFacts, request: StateRequest = {}): Host {
  const services = host.services.map((service) => effectiveService(service, facts, request))
  return services.every((service, index) => service === host.services[index]) ? host : { ...host, services }
}

function effectiveService(service: Service, facts: HostFacts, { operationOf, applies }: StateRequest): Service {
  if (!isManagedService(service)) return service
  const operation = operationOf?.(service.name)
  const recorded = recordedOverride(service, facts)
  if (operation !== undefined) return withOverride(service, newOverride(operation, recorded, facts))
  const holds =
    recorded !== undefined &&
    holdsAt(recorded, facts.gatheredAt) &&
    !(recorded.until === 'next-apply' && applies?.(service.name) === true)
  return holds ? withOverride(service, recorded) : service
}

/** The state of the service with an override that may be its inventory's. */
function withOverride(service: Service, { state, ...about }: Pick<Override, 'state'> & Partial<Override>): Service {
  if (state === service.state) return service
  const { until, by, since } = about
  if (until === undefined || by === undefined || since === undefined) return { ...service, state }
  return { ...service, state, override: { ...about, until, by, since, state, inventory: service.state } }
}

/** An override that already asks for the same state goes on. */
function newOverride(
  { verb, override }: Operation,
  recorded: Override | undefined,
  { gatheredAt }: HostFacts,
): Pick<Override, 'state'> & Partial<Override> {
  const state = verb === 'stop' ? 'stopped' : 'running'
  const goesOn = override === undefined && recorded?.state === state && holdsAt(recorded, gatheredAt)
  return goesOn ? recorded : { state, ...override }
}

/** The override in the host's record of the service, whether or not it still holds. */
export function recordedOverride({ name }: Pick<Service, 'name'>, { applied }: HostFacts): Override | undefined {
  return applied.known ? ownMember(applied.value, name)?.override : undefined
}

/** `at`: ISO 8601. */
function holdsAt({ until }: Override, at: string): boolean {
  const end = momentMs(until)
  return Number.isNaN(end) || end > momentMs(at)
}
