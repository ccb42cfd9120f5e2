import { describe, expect, it } from 'vitest'
import { serverKinds } from '../../src/servers/index.ts'
import { readCases } from '../managers/read-cases.ts'
import { aService, type ServiceOptions } from '../support/build.ts'

interface SmokeCase {
  readonly service: ServiceOptions
  readonly expected: unknown
}

describe('the smoke test of a server', () => {
  it.each(readCases<SmokeCase>('servers/smoke'))('%s', (_, { service: given, expected }) => {
    const service = aService(given)
    expect(serverKinds[service.kind].smoke(service)).toEqual(expected)
  })
})
