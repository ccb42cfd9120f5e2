import { isManagedService } from '../../inventory/is-managed-service.ts'
import { digestOf } from '../../lib/digest.ts'
import { askedKeyFile } from '../../managers/key-file.ts'
import type { Rendered } from '../../managers/manager.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { Fleet, Host, SecretReference, Service } from '../../model/fleet.ts'
import { ownsResident } from '../../simulate/own-processes.ts'
import { type Keys, openCase, renderInputOf, type ServiceCase } from '../../simulate/service-case.ts'

/** A service with everything on its host that may contain its key. */
export interface KeyHolders {
  readonly subject: ServiceCase
  /** The desired files; undefined: the key or the host's layout is unknown. */
  readonly rendered: Rendered | undefined
  /** The paths that the probe was asked for. */
  readonly definition: string | undefined
  readonly keyFile: string
}

/** The services of a host that have a key. */
export function keyHoldersOn(
  fleet: Fleet,
  host: Host,
  { facts, keys }: { readonly facts: HostFacts; readonly keys: Keys },
): readonly KeyHolders[] {
  return host.services
    .filter((service) => service.key !== undefined && isManagedService(service))
    .map((service) => {
      const subject = openCase(fleet, host, service, { facts, keys })
      const input = renderInputOf(subject)
      const rendered = input === undefined ? undefined : subject.manager.render(input)
      return { subject, rendered, definition: subject.question.definitions[0], keyFile: askedKeyFile(service) }
    })
}

/** Pids of the processes that belong to any service of the host. */
export function ownPidsOn(fleet: Fleet, host: Host, facts: HostFacts): ReadonlySet<number> {
  const cases = host.services.map((service) => openCase(fleet, host, service, { facts, keys: new Map() }))
  const residents = facts.residents.known ? facts.residents.value : []
  return new Set(residents.filter((one) => cases.some((subject) => ownsResident(subject, one))).map(({ pid }) => pid))
}

/** SHA-256 of the reference to a key. It does not depend on where the inventory is. */
export function referenceDigest(fleet: Pick<Fleet, 'path'>, { key }: Pick<Service, 'key'>): string {
  return digestOf(key === undefined ? null : located(fleet.path, key))
}

function located(path: string, reference: SecretReference): SecretReference {
  const folder = (/\.ya?ml$/.test(path) ? path.replace(/[^/]*$/, '') : path).replace(/\/*$/, '/')
  return 'file' in reference && reference.file.startsWith(folder) ? { file: reference.file.slice(folder.length) } : reference
}
