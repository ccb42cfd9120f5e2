import { describe, expect, it } from 'vitest'
import { InternalError } from '../../src/errors/converge-error.ts'
import { Secret } from '../../src/model/secret.ts'
import { askedEnvironment } from '../../src/servers/asked-environment.ts'
import { flagsOf } from '../../src/servers/flags.ts'
import { serverKinds } from '../../src/servers/index.ts'
import { readCases } from '../managers/read-cases.ts'
import { aService, type ServiceOptions } from '../support/build.ts'

interface LaunchCase {
  readonly service: { readonly [K in keyof ServiceOptions]: ServiceOptions[K] | null }
  readonly seen: { readonly model: string; readonly keyFile?: string }
  readonly key: string | null
  readonly expected: unknown
  readonly flags: readonly string[]
  readonly environment: unknown
}

describe('what a server is started with', () => {
  it.each(readCases<LaunchCase>('servers/launch'))('%s', (_, { service: given, seen, key, expected, flags, environment }) => {
    const service = aService({ key: key === null ? undefined : { env: 'KEY' }, ...withoutNulls(given) })
    const launch = serverKinds[service.kind].launch(service, seen, key === null ? undefined : new Secret(key, 'env KEY'))
    expect(JSON.parse(JSON.stringify(launch))).toEqual(expected)
    expect(flagsOf(launch)).toEqual(flags)
    expect(askedEnvironment(service)).toEqual(environment)
  })

  it('the key file of Kind A is the key and the end of its line', () => {
    const service = aService({ manager: 'systemd' })
    const launch = serverKinds.A.launch(service, { model: '/m.gguf', keyFile: '/k' }, new Secret('the-key', 'env KEY'))
    expect(launch.keyFileContent?.matches(/^the-key\n$/)).toBe(true)
  })

  it.each(['A', 'B'] as const)('Kind %s cannot be started outside a container without an executable', (kind) => {
    const service = aService({ kind, manager: 'systemd', executable: undefined })
    expect(() => serverKinds[kind].launch(service, { model: '/m' }, undefined)).toThrow(InternalError)
  })
})

/** YAML has no undefined: null takes a field away. */
function withoutNulls(given: LaunchCase['service']): ServiceOptions {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value ?? undefined]))
}
