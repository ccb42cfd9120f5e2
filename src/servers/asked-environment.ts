import type { Service } from '../model/fleet.ts'
import { Secret } from '../model/secret.ts'
import { serverKinds } from './index.ts'

/**
 * Environment variables of a service's process that show how it was started. A secret one is only compared by its salted digest. The key's is
 * included even if the service has no key: the process may still have one.
 */
export function askedEnvironment(service: Service): readonly { readonly name: string; readonly secret: boolean }[] {
  const key = new Secret('', 'none: only names are needed')
  const launch = serverKinds[service.kind].launch(service, { model: service.model.path, keyFile: '' }, key)
  const plain = Object.entries(launch.env).map(([name, value]) => ({ name, secret: value instanceof Secret }))
  return [...plain, ...Object.keys(launch.secretEnv).map((name) => ({ name, secret: true }))]
}

/** Variables that give servers of this kind their key; none for a kind that uses a flag. */
export function keyVariables(service: Service): readonly string[] {
  return askedEnvironment(service).flatMap(({ name, secret }) => (secret ? [name] : []))
}
