import type { HostFacts } from '../../src/model/facts.ts'
import type { Fleet } from '../../src/model/fleet.ts'
import { Secret } from '../../src/model/secret.ts'
import { withFilesAlone } from './simulated-host.ts'

/** The facts with files of some services as desired, while what runs or is loaded stays as it was. */
export function writtenSince(facts: HostFacts, fleet: Fleet, names: readonly string[], key: string): HostFacts {
  const services = fleet.hosts.flatMap((host) => host.services).filter(({ name }) => names.includes(name))
  return services.reduce((now, service) => {
    const secret = service.key === undefined ? undefined : new Secret(key, 'env')
    return withFilesAlone(now, { fleet, service, key: secret, running: false })
  }, facts)
}
