import type { Service } from '../model/fleet.ts'
import { Secret } from '../model/secret.ts'
import { serverKinds } from './index.ts'

/**
 * Names of the environment variables of a service's process that tell how it was started. A secret one may only be compared by
 * its salted digest.
 */
export function askedEnvironment(service: Service): readonly { readonly name: string; readonly secret: boolean }[] {
  const key = service.key === undefined ? undefined : new Secret('', 'none: only names are wanted')
  const launch = serverKinds[service.kind].launch(service, { model: service.model.path, keyFile: '' }, key)
  const plain = Object.entries(launch.env).map(([name, value]) => ({ name, secret: value instanceof Secret }))
  return [...plain, ...Object.keys(launch.secretEnv).map((name) => ({ name, secret: true }))]
}
