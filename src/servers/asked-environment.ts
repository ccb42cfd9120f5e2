import type { Service } from '../model/fleet.ts'
import { Secret } from '../model/secret.ts'
import { serverKinds } from './index.ts'

/**
 * Names of the environment variables of a service's process that tell how it was started. A secret one may only be compared by
 * its salted digest. That of the key is among them also where no key is wanted: the process may still have one.
 */
export function askedEnvironment(service: Service): readonly { readonly name: string; readonly secret: boolean }[] {
  const key = new Secret('', 'none: only names are wanted')
  const launch = serverKinds[service.kind].launch(service, { model: service.model.path, keyFile: '' }, key)
  const plain = Object.entries(launch.env).map(([name, value]) => ({ name, secret: value instanceof Secret }))
  return [...plain, ...Object.keys(launch.secretEnv).map((name) => ({ name, secret: true }))]
}

/** Variables by which a server of this kind gets its key; none for a kind that gets it by a flag. */
export function keyVariables(service: Service): readonly string[] {
  return askedEnvironment(service).flatMap(({ name, secret }) => (secret ? [name] : []))
}
