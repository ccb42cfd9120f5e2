import type { ModelFiles } from '../model/facts.ts'
import type { Service } from '../model/fleet.ts'
import type { Launch, MemoryNeed, SeenPaths, SmokeTest } from '../model/launch.ts'
import type { ManagerName, Platform, ServerKindName } from '../model/names.ts'
import type { Observed } from '../model/observed.ts'
import type { Secret } from '../model/secret.ts'
import type { GpuLayers } from './gpu-layers.ts'
import type { HttpDialect } from './http-dialect.ts'
import type { KindFields } from './kind-fields.ts'
import type { MemoryOfKind } from './memory-of-kind.ts'
import type { Recognition } from './recognition.ts'

/** Knows the program, not the supervisor: pure functions from what is wanted to data. Start reading at `kind-a/kind-a.ts`. */
export interface ServerKind {
  readonly name: ServerKindName
  /** One plain word, shown beside its name: `gguf`. */
  readonly label: string
  /** For people: what it is, in a few words. */
  readonly about: string
  /** What its model is: one GGUF file, or all parts of one that was split, of which the first is named; or a folder with all that is in it. */
  readonly model: 'gguf' | 'folder'
  /** What a restart costs: seconds, or a cache that takes up to an hour to warm. */
  readonly restart: 'cheap' | 'costly'
  readonly memory: MemoryOfKind
  /** Whether it maps its model, so that two of them on a small machine compete for the page cache. */
  readonly needsPageCache: boolean
  /** Whether its flags alone tell how it was started. Otherwise its environment has to be known as well. */
  readonly describedByFlags: boolean
  /** Whether it leaves what people said to it beside its model. */
  readonly savesConversations: boolean
  /** Used where the inventory gives no value. */
  readonly defaults: KindDefaults
  /** The field of the inventory that has its context size. Absent: nobody tells it one. */
  readonly contextField?: string
  /** What its key file holds: the bare key, which the server reads itself, or a line of environment, which its supervisor reads. */
  readonly keyFile: 'bare' | 'environment'
  /** What it would not take for a key, or not for the whole of one. Absent: nothing but what no server takes. */
  readonly keyFaults?: readonly KeyFault[]
  /** What comes between its program and `--help`. */
  readonly help: readonly string[]
  readonly fields: KindFields
  readonly http: HttpDialect
  readonly recognition: Recognition
  /** The ports where people look for it: a habit of the fleet, from the specification. */
  usualPorts(platform: Platform): readonly [low: number, high: number]
  /** Port and bind address are the service's own; `key` is absent when the service has none. */
  launch(service: Service, seen: SeenPaths, key: Secret | undefined): Launch
  /** What it will take in RAM; the model's files say how large the weights are. */
  needs(service: Service, model: Observed<ModelFiles | null>): Observed<MemoryNeed>
  smoke(service: Service): SmokeTest
  /** How much of its model would go to a GPU. Absent: it uses none. */
  gpuLayers?(service: Service): GpuLayers
  /** A flag of its launch that many builds refuse; undefined: it is not given. */
  readonly doubtfulFlag?: (service: Service) => string | undefined
}

export interface KeyFault {
  readonly pattern: RegExp
  /** Completes `The key of coder …`. */
  readonly words: string
}

export interface KindDefaults {
  readonly manager: Readonly<Record<Platform, ManagerName>>
  /** Tokens; section 8 of the specification has one figure per template. */
  readonly context: Readonly<Record<Platform, number>>
  /** For who runs it in a container; absent: it has no image of its own. */
  readonly image?: string
  /** What its program is run with; absent: it is a program of its own. */
  readonly interpreter?: string
  /** Seconds until it has loaded, and for one answer. */
  readonly readyS: number
  readonly completionS: number
}
