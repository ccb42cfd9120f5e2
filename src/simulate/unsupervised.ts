import { containerOf } from '../managers/compose/seen.ts'
import { holdsServer } from '../managers/holds-server.ts'
import { hasField, isOfMacs } from '../managers/traits.ts'
import type { EndedServer } from '../model/action.ts'
import type { HostFacts, Resident } from '../model/facts.ts'
import { startedModel } from '../servers/as-started.ts'
import { baseName } from '../servers/invocation.ts'
import type { HostState } from './host-state.ts'
import { mayPublish, publishedPorts } from './own-processes.ts'
import type { ServiceCase } from './service-case.ts'

/**
 * The running server that a service describes and that no supervisor runs: started by hand, or with `docker run`. It has the service's kind,
 * port and model. Undefined: there is none, or that is unknown.
 */
export function unsupervisedServer({ service, facts, state }: ServiceCase): EndedServer | undefined {
  if (!state.known || holdsServer(state.value) || state.value.definition === 'foreign' || !facts.residents.known) return undefined
  // The facts of a Mac do not have the jobs of others.
  if (isOfMacs(service.manager)) return undefined
  const found = facts.residents.value.filter(
    (one) =>
      one.role === service.kind &&
      isUnsupervised(one, facts) &&
      runsAs(one, service, facts) &&
      listensOn(one, service.port, facts) &&
      hasModel(one, service.model.path),
  )
  const [only] = found
  if (only === undefined || found.length > 1) return undefined
  const container = containerOf(only, facts)
  return { pid: only.pid, start: only.start, ...(container === undefined ? {} : { container: container.id }) }
}

/** A unit, a compose project or a cluster would start it again. */
function isUnsupervised(resident: Resident, facts: HostFacts): boolean {
  const { unit, container } = resident
  if (unit !== undefined) return false
  if (container === undefined) return true
  const seen = containerOf(resident, facts)
  return seen !== undefined && !Object.keys(seen.labels).some((label) => ofSupervisors.test(label))
}

const ofSupervisors =
  /^(com\.docker\.(compose|swarm|stack)\.|PODMAN_SYSTEMD_UNIT|io\.(kubernetes|podman\.compose)|converge\.(managed|definition)$)/

/** The new server would run as the account of the old one. */
function runsAs({ user, container }: Resident, service: ServiceCase['service'], { layout }: HostFacts): boolean {
  if (container !== undefined || !hasField(service.manager, 'user')) return true
  return layout.known && user === (service.user ?? layout.value.user)
}

function listensOn(resident: Resident, port: number, facts: HostFacts): boolean {
  const container = containerOf(resident, facts)
  if (container !== undefined) return publishedPorts(container).includes(port)
  return (
    facts.listeners.known &&
    facts.listeners.value.some((one) => one.port === port && one.pid.known && one.pid.value === resident.pid)
  )
}

/** In a container the model has another path. */
function hasModel({ argv, env, container }: Resident, path: string): boolean {
  const model = startedModel({ argv, env })
  return container === undefined ? model === path : model !== undefined && baseName(model) === baseName(path)
}

/** The host without a server that an action ends first. */
export function withoutEnded(state: HostState, ended: EndedServer | undefined, port: number): HostState {
  if (ended === undefined || !state.residents.known) return state
  const gone = state.residents.value.filter(({ seen }) => seen?.pid === ended.pid)
  const freed = gone.reduce((sum, one) => sum + one.ownBytes, 0)
  const { listeners, ramAvailableBytes: ram } = state
  return {
    ...state,
    ramAvailableBytes: ram.known ? { known: true, value: ram.value + freed } : ram,
    residents: { known: true, value: state.residents.value.filter((one) => !gone.includes(one)) },
    listeners: listeners.known
      ? {
          known: true,
          value: listeners.value.filter(
            (one) =>
              !(one.pid.known && one.pid.value === ended.pid) &&
              !(ended.container !== undefined && one.service === null && one.port === port && mayPublish(one)),
          ),
        }
      : listeners,
  }
}
