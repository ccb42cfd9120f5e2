import type { HostFacts, KeyFile } from '../model/facts.ts'
import type { Service } from '../model/fleet.ts'
import { known, type Observed, unknown } from '../model/observed.ts'
import { readsKeyFile } from '../servers/traits.ts'
import type { RenderInput } from './manager.ts'

export function keyFileName(service: Service): string {
  return `keys/${service.name}.${readsKeyFile(service.kind) ? 'key' : 'env'}`
}

/** The path of the key file in the question to the probe. */
export function askedKeyFile(service: Service): string {
  return `@root/${keyFileName(service)}`
}

/** The key file as the probe saw it; a known null: missing. */
export function seenKeyFile(service: Service, facts: HostFacts): Observed<KeyFile | null> {
  return facts.keyFiles[askedKeyFile(service)] ?? unknown('not-gathered', 'the probe was not asked for the key file')
}

/** The key file before an action; `unknown`: not observed. */
export interface KeyBefore {
  readonly path: string
  readonly was: 'there' | 'absent' | 'unknown'
  /** It exists but is no longer used: the key is delivered differently, or there is none. */
  readonly outdated: boolean
}

/** @param path of the file on the host */
export function keyBefore(path: string, { service }: Pick<RenderInput, 'service'>, facts: HostFacts): KeyBefore {
  const seen = seenKeyFile(service, facts)
  if (!seen.known) return { path, was: 'unknown', outdated: false }
  if (seen.value === null) return { path, was: 'absent', outdated: false }
  return { path, was: 'there', outdated: service.key === undefined || service.keyDelivery === 'inline' }
}

/** Start times derive from a boot time in whole seconds: within this tolerance their order is unclear. */
export const toleranceS = 2

/** Whether the server started before its key file was last written, and so still holds another key. */
export function startedBeforeKey(service: Service, facts: HostFacts, startedAt: number | undefined): Observed<boolean> {
  if (service.key === undefined || service.keyDelivery === 'inline') return known(false)
  const file = seenKeyFile(service, facts)
  if (!file.known) return file
  if (file.value === null || startedAt === undefined) return known(false)
  return known(file.value.modifiedAt > startedAt + toleranceS)
}
