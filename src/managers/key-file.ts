import type { HostFacts, KeyFile } from '../model/facts.ts'
import type { Service } from '../model/fleet.ts'
import { known, type Observed, unknown } from '../model/observed.ts'
import { readsKeyFile } from '../servers/traits.ts'
import type { RenderInput } from './manager.ts'

export function keyFileName(service: Service): string {
  return `keys/${service.name}.${readsKeyFile(service.kind) ? 'key' : 'env'}`
}

/** The key file as the probe was asked for it. */
export function askedKeyFile(service: Service): string {
  return `@root/${keyFileName(service)}`
}

/** What the probe saw of it; a known null: there is none. */
export function seenKeyFile(service: Service, facts: HostFacts): Observed<KeyFile | null> {
  return facts.keyFiles[askedKeyFile(service)] ?? unknown('not-gathered', 'the probe was not asked for the key file')
}

/** The key file as it was before an action; `unknown`: nobody looked, or could. */
export interface KeyBefore {
  readonly path: string
  readonly was: 'there' | 'absent' | 'unknown'
  /** It is there and nothing wanted reads it: the key is delivered otherwise, or there is none any more. */
  readonly outdated: boolean
}

/** @param path of the file on the host */
export function keyBefore(path: string, { service }: Pick<RenderInput, 'service'>, facts: HostFacts): KeyBefore {
  const seen = seenKeyFile(service, facts)
  if (!seen.known) return { path, was: 'unknown', outdated: false }
  if (seen.value === null) return { path, was: 'absent', outdated: false }
  return { path, was: 'there', outdated: service.key === undefined || service.keyDelivery === 'inline' }
}

/** Start times are derived from a boot time in whole seconds: nearer than this, *before* cannot be told from *after*. */
export const toleranceS = 2

/** Whether the server started before its key file was last written, so that it still holds another key. */
export function startedBeforeKey(service: Service, facts: HostFacts, startedAt: number | undefined): Observed<boolean> {
  if (service.key === undefined || service.keyDelivery === 'inline') return known(false)
  const file = seenKeyFile(service, facts)
  if (!file.known) return file
  if (file.value === null || startedAt === undefined) return known(false)
  return known(file.value.modifiedAt > startedAt + toleranceS)
}
