import { containerOf } from '../managers/compose/seen.ts'
import { publishedPort } from '../managers/compose/started.ts'
import { managers } from '../managers/index.ts'
import type { Origin } from '../managers/manager.ts'
import type { HostFacts, Resident } from '../model/facts.ts'
import type { ManagerName } from '../model/names.ts'
import type { SurveyedProcess } from '../model/survey.ts'
import { initialState } from '../simulate/initial-state.ts'
import type { ServiceCase } from '../simulate/service-case.ts'

/** The servers of a host that no service of the inventory explains. @param cases all services of the host */
export function unmanagedServers(facts: HostFacts, cases: readonly ServiceCase[]): readonly Resident[] {
  const { residents } = initialState(facts, cases)
  if (!residents.known || !facts.residents.known) return []
  const unmanaged = residents.value.filter(({ service, orphaned }) => service === null && orphaned === undefined)
  return unmanaged.flatMap(
    ({ seen }) => (facts.residents.known && facts.residents.value.find(({ pid }) => pid === seen?.pid)) || [],
  )
}

/** The supervisor of a server, and what it runs it from. */
export interface Supervised extends Origin {
  readonly manager: ManagerName
}

export function supervisorOf(
  resident: Resident,
  surveyed: SurveyedProcess | undefined,
  facts: HostFacts,
): Supervised | undefined {
  for (const manager of Object.values(managers)) {
    const origin = manager.originOf({ resident, surveyed, facts })
    if (origin !== undefined) return { ...origin, manager: manager.name }
  }
  return undefined
}

/** The port on which a server listens: from its arguments, or what the kernel reports for its process. Of a container the one that it publishes. */
export function listeningPort(resident: Resident, facts: HostFacts): number | undefined {
  const { pid, port } = resident
  const { listeners } = facts
  const container = containerOf(resident, facts)
  if (container !== undefined) return publishedPort(container, port)
  if (port !== undefined || !listeners.known) return port
  return listeners.value.find((one) => one.pid.known && one.pid.value === pid)?.port
}
