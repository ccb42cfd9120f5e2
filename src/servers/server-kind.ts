import type { ModelFiles } from '../model/facts.ts'
import type { Service } from '../model/fleet.ts'
import type { Launch, MemoryNeed, SeenPaths, SmokeTest } from '../model/launch.ts'
import type { ManagerName, Platform, RequestKind, ServerKindName } from '../model/names.ts'
import type { Observed } from '../model/observed.ts'
import type { Secret } from '../model/secret.ts'
import type { GpuLayers } from './gpu-layers.ts'
import type { HttpDialect } from './http-dialect.ts'
import type { KindFields } from './kind-fields.ts'
import type { MemoryOfKind } from './memory-of-kind.ts'
import type { ReadBack, StartedServer } from './read-back.ts'
import type { Recognition } from './recognition.ts'

/** Knows the program, not the supervisor: pure functions from desired state to data. Start reading at `kind-a/kind-a.ts`. */
export interface ServerKind {
  readonly name: ServerKindName
  /** One plain word, shown beside its name: `gguf`. */
  readonly label: string
  /** For people: what it is, in a few words. */
  readonly about: string
  /** The form of its model: one GGUF file, or all parts of a split one, of which the first is named; or a folder with all its content. */
  readonly model: 'gguf' | 'folder'
  /** What a restart costs: seconds, or a cache that takes up to an hour to warm. */
  readonly restart: 'cheap' | 'costly'
  readonly memory: MemoryOfKind
  /** Whether it maps its model, so that two of them on a small machine compete for the page cache. */
  readonly needsPageCache: boolean
  /** Whether its flags alone show how it was started. Otherwise its environment is needed as well. */
  readonly describedByFlags: boolean
  /** Whether it stores conversations beside its model. */
  readonly savesConversations: boolean
  /** Used if the inventory has no value. */
  readonly defaults: KindDefaults
  /** The field of the inventory for its context size. Absent: it has none. */
  readonly contextField?: string
  /** Whether it rejects requests to names of its host that are not in `allowed_hosts`. Absent: it takes any name. */
  readonly checksHost?: true
  /** Content of its key file: the bare key, which the server reads itself, or an environment line, which its supervisor reads. */
  readonly keyFile: 'bare' | 'environment'
  /** Keys that it would reject or truncate, beyond those that no server accepts. */
  readonly keyFaults?: readonly KeyFault[]
  /** The words between its program and `--help`. */
  readonly help: readonly string[]
  readonly fields: KindFields
  readonly http: HttpDialect
  readonly recognition: Recognition
  /** The ports that people expect it on: a convention of the fleet, from the specification. */
  usualPorts(platform: Platform): readonly [low: number, high: number]
  /** Port and bind address are the service's own; `key` is undefined if the service has none. */
  launch(service: Service, seen: SeenPaths, key: Secret | undefined): Launch
  /** The inverse: the fields of the inventory that describe a server as it was started. */
  readBack(started: StartedServer): ReadBack
  /** Its RAM; the model's files determine the size of the weights. */
  needs(service: Service, model: Observed<ModelFiles | null>): Observed<MemoryNeed>
  /** What its servers may be asked to show that they work; which of it a service answers follows from its flags. */
  readonly answers: readonly RequestKind[]
  smoke(service: Service): SmokeTest
  /** How much of its model would go to a GPU. Absent: it uses none. */
  gpuLayers?(service: Service): GpuLayers
  /** A flag of its launch that many builds reject; undefined: not used. */
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
  /** For containers; absent: it has no image of its own. */
  readonly image?: string
  /** The interpreter of its program; absent: it needs none. */
  readonly interpreter?: string
  /** Seconds to load, and for one answer. */
  readonly readyS: number
  readonly completionS: number
}
