import type { HostFacts } from '../../model/facts.ts'
import type { Fleet, Host } from '../../model/fleet.ts'
import type { RemoteService } from './referrers.ts'

/**
 * Services of other hosts that may load a model from this one: over the network, or because both hosts are one machine. Unknown hosts count too.
 *
 * @param seen facts by host, as far as they are available
 */
export function elsewhereOf(fleet: Fleet, host: Host, seen: ReadonlyMap<string, HostFacts>): readonly RemoteService[] {
  const here = seen.get(host.name)
  return fleet.hosts
    .filter(({ name }) => name !== host.name)
    .flatMap(({ name, services }) => {
      const there = seen.get(name)
      const isApart = here !== undefined && there !== undefined && areTwoMachines(here, there)
      return services
        .filter(({ state, model }) => state !== 'absent' && !(isApart && isOnOwnDisk(there, model.path)))
        .map((service): RemoteService => ({ host: name, service: service.name, path: service.model.path }))
    })
}

function areTwoMachines({ platform: one }: HostFacts, { platform: other }: HostFacts): boolean {
  if (!one.known || !other.known) return false
  const { bootId, hostname } = one.value
  if (bootId !== undefined && other.value.bootId !== undefined) return bootId !== other.value.bootId
  return hostname !== other.value.hostname
}

/** Not on a volume of another machine: `server:/share`, `//user@server/share`. */
function isOnOwnDisk({ disks }: HostFacts, path: string): boolean {
  const disk = disks[path]
  return disk?.known === true && disk.value.source !== undefined && !/:|^\/\//.test(disk.value.source)
}
