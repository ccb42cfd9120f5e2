import { ConvergeError } from '../errors/converge-error.ts'
import { isManagedService } from '../inventory/is-managed-service.ts'
import type { Host, SecretReference } from '../model/fleet.ts'
import { known, type Observed, unknown } from '../model/observed.ts'
import type { Secret } from '../model/secret.ts'

/** Keys of services by `host/service`; a service without a key reference is not in it. */
export type Keys = ReadonlyMap<string, Observed<Secret>>

/** Resolves a secret reference. Each reference is resolved once, and the redactor learns the secret. */
export type SecretResolver = (reference: SecretReference) => Promise<Secret>

/** Resolves the keys of the selected services. A key that cannot be resolved is unknown with its reason. */
export async function resolveKeys(hosts: readonly Host[], resolve: SecretResolver): Promise<Keys> {
  const needed = hosts.flatMap((host) => host.services).filter(isManagedService)
  const entries = await Promise.all(
    needed.map(async (service) => {
      if (service.key === undefined) return undefined
      return [`${service.host}/${service.name}`, await observedKey(service.key, resolve)] as const
    }),
  )
  return new Map(entries.filter((entry) => entry !== undefined))
}

async function observedKey(reference: SecretReference, resolve: SecretResolver): Promise<Observed<Secret>> {
  try {
    return known(await resolve(reference))
  } catch (error) {
    if (!(error instanceof ConvergeError)) throw error
    if (error.code === 'SECRET.NOT_ASKED') return unknown('not-gathered', error.why)
    return unknown('unreadable', error.why)
  }
}
