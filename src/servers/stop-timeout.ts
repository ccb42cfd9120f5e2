import type { ModelFiles } from '../model/facts.ts'
import type { Service } from '../model/fleet.ts'
import type { Observed } from '../model/observed.ts'
import { hasBudget } from './traits.ts'

const gibibyte = 1024 ** 3
/** Up to this size, the default of `stop_timeout` is enough. */
const largeGib = 60

/**
 * A service with the time that its server needs to stop: the time in the inventory, or for a large server more than the default. A large server
 * may take minutes to give its memory back, and macOS loses the wired memory of one that is killed meanwhile until the next boot. Reports about MLX
 * servers on Macs with 512 GB, 2026: 424 GiB are free within seconds if nothing is in progress, and not within 60 seconds otherwise. One second
 * per GiB is several times as long. Whole minutes, so that a slightly larger model does not change the definition.
 *
 * An unknown size changes nothing: a rule refuses to start a server whose model was not observed.
 */
export function withStopTimeout(service: Service, model: Observed<ModelFiles | null>): Service {
  const size = sizeGib(service, model)
  if (service.stopTimeoutFixed === true || size === undefined || size <= largeGib) return service
  return { ...service, stopTimeoutS: Math.max(service.stopTimeoutS, Math.ceil(size / 60) * 60) }
}

/** The budget of a server, or the size of its model. */
function sizeGib({ kind, ramGb }: Service, model: Observed<ModelFiles | null>): number | undefined {
  if (hasBudget(kind)) return ramGb
  if (!model.known || model.value === null) return undefined
  return model.value.files.reduce((sum, { bytes }) => sum + bytes, 0) / gibibyte
}
