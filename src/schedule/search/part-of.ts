import { type HostState, withoutProcesses } from '../../simulate/host-state.ts'
import { createWalk, type Goals, type Spot, type Walk, type World } from './walk.ts'

/** The same host with nothing of the fleet on it but these services; what is foreign stays. */
export function partOf({ world }: Walk, goals: Goals, keeps: (service: string) => boolean): { walk: Walk; goals: Goals } {
  const kept = world.tracks.flatMap((track, index) => (keeps(track.service) ? [{ track, goal: goals[index] ?? 0 }] : []))
  const part: World = { ...world, tracks: kept.map(({ track }) => track), start: onlyWith(world.start, keeps) }
  return { walk: createWalk(part), goals: kept.map(({ goal }) => goal) }
}

function onlyWith(state: HostState, keeps: (service: string) => boolean): HostState {
  return present(state)
    .filter((service) => !keeps(service))
    .reduce(withoutProcesses, state)
}

/** The spot as it would be if some services had no processes. */
export function withoutServices(spot: Spot, services: readonly string[]): Spot {
  return { ...spot, key: `${spot.key} without ${services.join(' ')}`, state: services.reduce(withoutProcesses, spot.state) }
}

/** Services that have processes on the host. */
export function present({ residents, listeners }: HostState): readonly string[] {
  const all = [...(residents.known ? residents.value : []), ...(listeners.known ? listeners.value : [])]
  return [...new Set(all.flatMap(({ service }) => service ?? []))]
}
