import type { RenderInput } from '../../src/managers/manager.ts'
import type { HostFacts } from '../../src/model/facts.ts'
import type { Service } from '../../src/model/fleet.ts'
import { Secret } from '../../src/model/secret.ts'
import { aFleet, aHost, aService, type ServiceOptions, someFacts } from '../support/build.ts'
import { withApplied } from '../support/simulated-host.ts'

/** As a case file has it: YAML has no undefined, null takes a field away. */
export type GivenService = { readonly [K in keyof ServiceOptions]: ServiceOptions[K] | null }

/** @param key null: the service has none */
export function inputOf(given: GivenService, key: string | null): RenderInput {
  const options: ServiceOptions = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value ?? undefined]))
  const service = aService({
    stopTimeoutFixed: true,
    ...(key === null ? { key: undefined } : { key: { env: 'THE_KEY' } }),
    ...options,
  })
  return {
    service,
    settings: aFleet({ hosts: [aHost()] }).settings,
    layout: { user: 'op', home: '/home/op', effectiveUid: 0, root: '/etc/converge' },
    key: key === null || service.key === undefined ? undefined : new Secret(key, 'env THE_KEY'),
  }
}

/** A host on which the service is as it was applied, or not at all. */
export function hostWith(service: Service, applied: 'running' | 'stopped' | null, key: Secret | undefined): HostFacts {
  const host = aHost({ services: [service], ...(service.manager === 'launchd' ? { platform: 'macos' } : {}) })
  const facts = someFacts(host)
  if (applied === null) return facts
  return withApplied(facts, { fleet: aFleet({ hosts: [host] }), service, key, running: applied === 'running' })
}
