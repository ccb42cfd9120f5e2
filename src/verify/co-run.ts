import type { ServiceState } from '../managers/manager.ts'
import type { FleetSettings, Service } from '../model/fleet.ts'
import type { Observed } from '../model/observed.ts'
import { needsPageCache, takesPageCache } from '../servers/traits.ts'
import type { HostState } from '../simulate/host-state.ts'
import type { Verdict } from './smoke-deps.ts'

const bytesPerGb = 2 ** 30

/** A host as the rule needs it. */
export interface CoRunView extends Pick<HostState, 'ramTotalBytes' | 'residents'> {
  /** The state of the service itself: if unknown, its own process would be mistaken for another. */
  readonly own: Observed<Pick<ServiceState, 'activity'>>
}

/**
 * Whether the service is the only resident Kind A where only one is allowed (spec, smoke test 1); residents are counted as in the plan. Unknown
 * facts are reported but are no failure: the plan has already refused what depends on them.
 *
 * @param look called only if the rule applies to a server of this kind
 * @param consented an approval overrules the rule for this service
 */
export async function judgeCoRun(
  service: Pick<Service, 'name' | 'kind'>,
  look: () => Promise<CoRunView>,
  { settings, consented }: { readonly settings: Pick<FleetSettings, 'smallRamGb'>; readonly consented: boolean },
): Promise<Verdict> {
  if (!needsPageCache(service.kind)) return { ok: true, detail: 'servers of its kind may run side by side' }
  const { own, ramTotalBytes, residents } = await look()
  if (!own.known) return { ok: true, detail: 'unknown', skipped: 'its own process is unknown' }
  if (own.value.activity !== 'running') return { ok: true, detail: 'not asked', skipped: 'it does not run' }
  if (!ramTotalBytes.known || !residents.known) return { ok: true, detail: 'unknown', skipped: 'memory or processes are unknown' }
  const small = ramTotalBytes.value <= settings.smallRamGb * bytesPerGb
  if (!small) return { ok: true, detail: 'the machine is large enough for several servers' }
  const others = residents.value.filter((one) => takesPageCache(one.kind) && one.service !== service.name)
  if (others.length === 0) return { ok: true, detail: 'it is the only one' }
  const named = others.map((one) => one.service ?? one.description).join(', ')
  return consented
    ? { ok: true, detail: `beside ${named}, by approval`, skipped: 'overruled by approval' }
    : { ok: false, detail: `${named} runs as well on a machine of at most ${settings.smallRamGb} GB; both degrade` }
}
