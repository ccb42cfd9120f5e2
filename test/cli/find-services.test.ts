import { expect, test } from 'vitest'
import { findServices } from '../../src/cli/find-service.ts'
import { aHost, aService } from '../support/build.ts'

const hosts = [
  aHost({
    name: 'nas',
    services: ['coder', 'coder-small', 'gone'].map((name) =>
      aService({ name, host: 'nas', state: name === 'gone' ? 'absent' : 'running' }),
    ),
  }),
  aHost({ name: 'mini', services: ['coder', 'writer'].map((name) => aService({ name, host: 'mini', state: 'stopped' })) }),
]

function found(targets: readonly string[], selects: () => boolean = () => true): readonly string[] {
  return findServices(hosts, targets, selects).flatMap(({ host, services }) => services.map(({ name }) => `${name}@${host.name}`))
}

test('without a name all that should exist, with one or a glob all that it matches, in the order of the inventory', () => {
  expect(found([])).toEqual(['coder@nas', 'coder-small@nas', 'coder@mini', 'writer@mini'])
  expect(found(['coder'])).toEqual(['coder@nas', 'coder@mini'])
  expect(found(['writer', 'coder*@nas'])).toEqual(['coder@nas', 'coder-small@nas', 'writer@mini'])
  expect(found(['*@m*'])).toEqual(['coder@mini', 'writer@mini'])
  expect(found(['gone'])).toEqual(['gone@nas'])
  expect(found([], () => false)).toEqual([])
})

test('one that names nothing is a mistake', () => {
  expect(() => found(['coder', 'codr@nas'])).toThrow(
    expect.objectContaining({ code: 'USAGE.SERVICE', next: expect.arrayContaining(['Did you mean coder@nas?']) }),
  )
  expect(() => found(['coder@box'])).toThrow(expect.objectContaining({ code: 'USAGE.SERVICE' }))
})
