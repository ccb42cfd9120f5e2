import { holdsServer } from '../managers/holds-server.ts'
import type { EndedServer } from '../model/action.ts'
import type { Container, HostFacts, Resident } from '../model/facts.ts'
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
  const found = facts.residents.value.filter(
    (one) =>
      one.role === service.kind &&
      isUnsupervised(one, facts) &&
      listensOn(one, service.port, facts) &&
      hasModel(one, service.model.path),
  )
  const [only] = found
  if (only === undefined || found.length > 1) return undefined
  const container = containerOf(only, facts)
  return { pid: only.pid, start: only.start, ...(container === undefined ? {} : { container: container.id }) }
}

/** A unit, an agent or a compose project would start it again. */
function isUnsupervised(resident: Resident, facts: HostFacts): boolean {
  const { unit, container, pid, ppid } = resident
  if (unit !== undefined) return false
  if (facts.launchd.known && Object.values(facts.launchd.value.agents).some((one) => one.pid === pid || one.pid === ppid))
    return false
  if (container === undefined) return true
  const labels = containerOf(resident, facts)?.labels
  return labels !== undefined && Object.keys(labels).length === 0
}

function containerOf({ container }: Resident, { containers }: HostFacts): Container | undefined {
  return container === undefined || !containers.known
    ? undefined
    : containers.value.containers.find(({ id }) => id.startsWith(container))
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
