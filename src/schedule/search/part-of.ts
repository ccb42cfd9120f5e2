import { type HostState, withoutProcesses } from '../../simulate/host-state.ts'
import { createSearch, type Goals, type Search, type SearchNode, type SearchProblem } from './search.ts'

/** The same host with only these services of the fleet on it; foreign processes stay. */
export function partOf({ problem }: Search, goals: Goals, keeps: (service: string) => boolean): { search: Search; goals: Goals } {
  const kept = problem.queues.flatMap((queue, index) => (keeps(queue.service) ? [{ queue, goal: goals[index] ?? 0 }] : []))
  const part: SearchProblem = { ...problem, queues: kept.map(({ queue }) => queue), start: onlyWith(problem.start, keeps) }
  return { search: createSearch(part), goals: kept.map(({ goal }) => goal) }
}

function onlyWith(state: HostState, keeps: (service: string) => boolean): HostState {
  return present(state)
    .filter((service) => !keeps(service))
    .reduce(withoutProcesses, state)
}

/** The node if some services had no processes. */
export function withoutServices(node: SearchNode, services: readonly string[]): SearchNode {
  return { ...node, key: `${node.key} without ${services.join(' ')}`, state: services.reduce(withoutProcesses, node.state) }
}

/** Services that have processes on the host. */
export function present({ residents, listeners }: HostState): readonly string[] {
  const all = [...(residents.known ? residents.value : []), ...(listeners.known ? listeners.value : [])]
  return [...new Set(all.flatMap(({ service }) => service ?? []))]
}
