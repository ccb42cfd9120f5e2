import type { ModelFiles } from '../model/facts.ts'
import type { Service } from '../model/fleet.ts'
import type { Launch, MemoryNeed, SeenPaths, SmokeTest } from '../model/launch.ts'
import type { ServerKindName } from '../model/names.ts'
import type { Observed } from '../model/observed.ts'
import type { Secret } from '../model/secret.ts'

/** Knows the program, not the supervisor: pure functions from what is wanted to data. Start reading at `kind-a.ts`. */
export interface ServerKind {
  readonly name: ServerKindName
  /** Port and bind address are the service's own; `key` is absent when the service has none. */
  launch(service: Service, seen: SeenPaths, key: Secret | undefined): Launch
  /** What it will take in RAM; the model's files say how large the weights are. */
  needs(service: Service, model: Observed<ModelFiles | null>): Observed<MemoryNeed>
  smoke(service: Service): SmokeTest
}
