import type { Listener } from '../model/facts.ts'
import type { ServerKindName } from '../model/names.ts'
import { mapObserved, type Observed } from '../model/observed.ts'

/** A host in the simulation: before any action as it was observed, then as each action would leave it. */
export interface HostState {
  readonly ramTotalBytes: Observed<number>
  /**
   * What a new process could still get: free memory and page cache that can be dropped. Shrinks by what the simulation starts,
   * grows by what the servers it stops hold of their own.
   */
  readonly ramAvailableBytes: Observed<number>
  /** Everything that runs a model, ours and foreign. */
  readonly residents: Observed<readonly SimulatedResident[]>
  readonly listeners: Observed<readonly SimulatedListener[]>
  /** By name, every service that the inventory wants on this host and whose state could be seen. */
  readonly services: Readonly<Record<string, SimulatedService>>
}

export interface SimulatedResident {
  /** The wanted service it belongs to; null: foreign. */
  readonly service: string | null
  readonly kind: ServerKindName | 'runner'
  /** One of this fleet that the inventory no longer names. */
  readonly orphaned?: string
  /** As it was seen: what it is called (`llama-server`, `ollama`, …) and which it is. Absent: a plan would start it. */
  readonly seen?: { readonly program: string; readonly pid: number }
  /** For evidence: `llama-server, pid 4242, user op`; of what is not managed its parent as well. */
  readonly description: string
  readonly port?: number
  /** Comes up by itself at boot. */
  readonly startsAtBoot: boolean
  readonly rssBytes: number
  /** Its own memory: comes free when it ends. */
  readonly ownBytes: number
  /** File pages it works from: counted as available, yet of no use to others while it is to stay quick. */
  readonly mappedBytes: number
  /** What it may still take beyond that: by what it was started with, or is started with when its supervisor does so again. */
  readonly dueBytes: Observed<number>
  /** Kind B: the budget behind that. */
  readonly budgetBytes?: Observed<number>
  /** Kind B: the budget of the process itself, whatever its definition says by now. */
  readonly startedBytes?: Observed<number>
}

export interface SimulatedListener extends Listener {
  /** The wanted service that listens; null: something else. */
  readonly service: string | null
  /** One of this fleet that the inventory no longer names. */
  readonly orphaned?: string
}

export interface SimulatedService {
  readonly definition: 'none' | 'ours' | 'foreign'
  readonly running: boolean
  /** Comes up by itself at boot. */
  readonly startsAtBoot: boolean
}

/** The host once the processes of one service are gone: their memory and their ports are free. */
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
