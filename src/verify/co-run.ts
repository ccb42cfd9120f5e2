import type { ServiceState } from '../managers/manager.ts'
import type { FleetSettings, Service } from '../model/fleet.ts'
import type { Observed } from '../model/observed.ts'
import { needsPageCache, takesPageCache } from '../servers/traits.ts'
import type { HostState } from '../simulate/host-state.ts'
import type { Verdict } from './smoke-deps.ts'

const bytesPerGb = 2 ** 30

/**
 * Whether, where only one Kind A may be resident, the service is that one (spec, smoke test 1); residents are counted as the plan
 * counts them. What could not be seen is said and is no failure: the plan has refused what depends on it already.
 *
 * @param own what its supervisor says of it: where that is not known, its own process would be taken for another
 * @param consented the operator has overruled the rule for this service
 */
export function judgeCoRun(
  service: Pick<Service, 'name' | 'kind'>,
  own: Observed<Pick<ServiceState, 'activity'>>,
  { ramTotalBytes, residents }: Pick<HostState, 'ramTotalBytes' | 'residents'>,
  { settings, consented }: { readonly settings: Pick<FleetSettings, 'smallRamGb'>; readonly consented: boolean },
): Verdict {
  if (!needsPageCache(service.kind)) return { ok: true, detail: 'servers of its kind may run side by side' }
  if (!own.known) return { ok: true, detail: 'not known', skipped: 'which process is its own could not be seen' }
  if (own.value.activity !== 'running') return { ok: true, detail: 'not asked', skipped: 'it does not run' }
  if (!ramTotalBytes.known || !residents.known)
    return { ok: true, detail: 'not known', skipped: 'memory or processes could not be seen' }
  const small = ramTotalBytes.value <= settings.smallRamGb * bytesPerGb
  if (!small) return { ok: true, detail: 'the machine is large enough for several servers' }
  const others = residents.value.filter((one) => takesPageCache(one.kind) && one.service !== service.name)
  if (others.length === 0) return { ok: true, detail: 'it is the only one' }
  const named = others.map((one) => one.service ?? one.description).join(', ')
  return consented
    ? { ok: true, detail: `beside ${named}, by approval`, skipped: 'overruled by approval' }
    : { ok: false, detail: `${named} runs as well on a machine of at most ${settings.smallRamGb} GB; both degrade` }
}
