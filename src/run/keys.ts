import { ConvergeError } from '../errors/converge-error.ts'
import type { Host, SecretReference } from '../model/fleet.ts'
import { known, type Observed, unknown } from '../model/observed.ts'
import type { Secret } from '../model/secret.ts'

/** Keys of services by `host/service`; a service without a key reference is not in it. */
export type Keys = ReadonlyMap<string, Observed<Secret>>

/** How a secret reference of this run is opened. Each reference is asked once; what came of it is known to the redactor. */
export type SecretResolver = (reference: SecretReference) => Promise<Secret>

/** Resolves what the selected services need. One that cannot be had is unknown with its reason; the others go on. */
export async function resolveKeys(hosts: readonly Host[], resolve: SecretResolver): Promise<Keys> {
  const wanted = hosts.flatMap((host) => host.services).filter((service) => service.state !== 'absent')
  const entries = await Promise.all(
    wanted.map(async (service) => {
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
