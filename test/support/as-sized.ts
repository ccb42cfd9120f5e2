import type { RenderInput } from '../../src/managers/manager.ts'
import type { HostFacts } from '../../src/model/facts.ts'
import type { Fleet, Service } from '../../src/model/fleet.ts'
import { unknown } from '../../src/model/observed.ts'
import type { Secret } from '../../src/model/secret.ts'
import { withStopTimeout } from '../../src/servers/stop-timeout.ts'

/** What a service is rendered from, with the time to stop that its size on this host needs. */
export function asSized(
  { layout, models }: HostFacts,
  { service, fleet, key }: { readonly service: Service; readonly fleet: Fleet; readonly key: Secret | undefined },
): RenderInput {
  if (!layout.known) throw new Error('a simulated host needs a layout')
  const sized = withStopTimeout(service, models[service.model.path] ?? unknown('not-gathered'))
  return { service: sized, settings: fleet.settings, layout: layout.value, key }
}
