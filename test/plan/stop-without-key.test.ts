import { expect, test } from 'vitest'
import { planFleet } from '../../src/plan/plan-fleet.ts'
import { compileInputOf, openCase, renderInputOf } from '../../src/simulate/service-case.ts'
import { planInputOf } from '../support/scenario.ts'

test.each(['compose', 'systemd'] as const)('a stop is compiled by %s although the key cannot be had', (manager) => {
  const input = planInputOf({
    about: 'it runs, should be stopped, and its key is missing',
    was: { coder: {} },
    services: { coder: { manager, executable: '/opt/llama/llama-server', state: 'stopped', key: { env: 'CODER_KEY' } } },
    keys: { coder: null },
  })
  const action = planFleet(input).hosts[0]?.actions.find((one) => one.kind === 'stop')
  const [host] = input.fleet.hosts
  const service = host?.services[0]
  const facts = input.facts.get('nas')
  if (action === undefined || host === undefined || service === undefined || facts === undefined || !('salt' in facts))
    throw new Error('nothing is stopped')
  const subject = openCase(input.fleet, host, service, { facts, keys: input.keys })
  const compiled = compileInputOf(subject, action)
  if (compiled === undefined) throw new Error('it could not be compiled')
  expect(subject.manager?.compile(action, compiled, facts).steps).not.toEqual([])
  expect(renderInputOf(subject)).toBeUndefined()
  expect(compileInputOf(subject, { kind: 'update', changes: [] })).toBeUndefined()
})
