import type { Listener } from '../model/facts.ts'
import type { ServerKindName } from '../model/names.ts'
import type { Observed } from '../model/observed.ts'

/** A host in the simulation: before any action as it was observed, then as each action would leave it. */
export interface HostState {
  readonly ramTotalBytes: Observed<number>
  /** Shrinks by the need of what the simulation starts, grows by the measured RSS of what it stops. */
  readonly ramAvailableBytes: Observed<number>
  /** Everything that runs a model, ours and foreign. */
  readonly residents: Observed<readonly SimulatedResident[]>
  readonly listeners: Observed<readonly Listener[]>
}

export interface SimulatedResident {
  /** The wanted service it belongs to; null: foreign. */
  readonly service: string | null
  readonly kind: ServerKindName | 'runner'
  /** For evidence: `llama-server, pid 4242, user op`. */
  readonly description: string
  readonly port?: number
  /** Comes up by itself at boot. */
  readonly startsAtBoot: boolean
  readonly rssBytes: number
}
