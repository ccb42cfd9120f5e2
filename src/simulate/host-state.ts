import type { ServiceState } from '../managers/manager.ts'
import type { Listener } from '../model/facts.ts'
import type { ServerKindName } from '../model/names.ts'
import { mapObserved, type Observed } from '../model/observed.ts'

/** A simulated host: as observed before any action, then as each action would leave it. */
export interface HostState {
  readonly ramTotalBytes: Observed<number>
  /**
   * What a new process could get: free memory and droppable page cache. Shrinks by what the simulation starts, grows by the own memory of
   * servers that it stops.
   */
  readonly ramAvailableBytes: Observed<number>
  /** Of a Mac, as observed; absent: not reported, or of unknown owners. */
  readonly wired?: WiredMemory
  /** Everything that runs a model, managed or foreign. */
  readonly residents: Observed<readonly SimulatedResident[]>
  readonly listeners: Observed<readonly SimulatedListener[]>
  /** By name, every service of the inventory on this host whose state is known. */
  readonly services: Readonly<Record<string, SimulatedService>>
}

/** The wired memory of a Mac: pages that stay in RAM, as those that the GPU uses. Bytes. */
export interface WiredMemory {
  readonly bytes: number
  /** What macOS and ordinary programs may wire. */
  readonly usual: number
  /** What its model servers may hold of it. */
  readonly servers: number
}

export interface SimulatedResident {
  /** The service it belongs to; null: foreign. */
  readonly service: string | null
  readonly kind: ServerKindName | 'runner'
  /** The orphaned service it belongs to. */
  readonly orphaned?: string
  /** Program (`llama-server`, `ollama`, …) and pid as observed. Absent: a plan would start it. */
  readonly seen?: { readonly program: string; readonly pid: number }
  /** For evidence: `llama-server, pid 4242, user op`; for foreign ones also the parent. */
  readonly description: string
  readonly port?: number
  /** Starts at boot. */
  readonly startsAtBoot: boolean
  readonly rssBytes: number
  /** Its own memory, which becomes free when it ends. */
  readonly ownBytes: number
  /** File pages that it uses: they count as available, but evicting them slows it down. */
  readonly mappedBytes: number
  /** What it may still take: by what it was started with, or will be when its supervisor restarts it. */
  readonly dueBytes: Observed<number>
  /** Kind B: the budget behind that. */
  readonly budgetBytes?: Observed<number>
  /** Kind B: the budget of the process itself, whatever its definition says now. */
  readonly startedBytes?: Observed<number>
}

export interface SimulatedListener extends Listener {
  /** The service that listens; null: something else. */
  readonly service: string | null
  /** The orphaned service that listens. */
  readonly orphaned?: string
}

export interface SimulatedService {
  readonly definition: ServiceState['definition']
  readonly running: boolean
  /** Starts at boot. */
  readonly startsAtBoot: boolean
  /** This plan has written or removed its definition. */
  readonly wrote?: true
}

/** The host without the processes of one service: their memory and ports are free. */
export function withoutProcesses(state: HostState, service: string): HostState {
  const freed = state.residents.known
    ? state.residents.value.filter((one) => one.service === service).reduce((sum, one) => sum + one.ownBytes, 0)
    : 0
  return {
    ...state,
    ramAvailableBytes: mapObserved(state.ramAvailableBytes, (bytes) => bytes + freed),
    residents: mapObserved(state.residents, (all) => all.filter((one) => one.service !== service)),
    listeners: mapObserved(state.listeners, (all) => all.filter((one) => one.service !== service)),
  }
}
