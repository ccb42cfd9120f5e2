import { afterAll, beforeAll, expect, test } from 'vitest'
import { classifyProcess } from '../../src/facts/classify-process.ts'
import { questionFor } from '../../src/facts/question.ts'
import { checkService } from '../../src/inventory/check-service.ts'
import { managers } from '../../src/managers/index.ts'
import { planFleet } from '../../src/plan/plan-fleet.ts'
import { serverKinds } from '../../src/servers/index.ts'
import type { ServiceOptions } from '../support/build.ts'
import { compareDrift } from '../support/drift-case.ts'
import { done } from '../support/fleet-run.ts'
import { planInputOf } from '../support/scenario.ts'
import { kindC, third } from './kind-c.ts'

// What the registry line does.
beforeAll(() => void Object.assign(serverKinds, { [third]: kindC }))
afterAll(() => void Reflect.deleteProperty(serverKinds, third))

const service: ServiceOptions = {
  kind: third,
  manager: 'systemd',
  executable: '/opt/mlx/bin/mlx_lm.server',
  interpreter: undefined,
  image: undefined,
  bind: '127.0.0.1',
  port: 9992,
  model: { path: '/srv/models/mlx' },
  key: undefined,
}
const fresh = (more: ServiceOptions = {}) => planInputOf({ about: 'a third kind', services: { mlx: { ...service, ...more } } })
const actions = (input: ReturnType<typeof fresh>) => planFleet(input).hosts[0]?.actions ?? []

test.each(['systemd', 'launchd'] as const)('a server of a third kind has a definition by %s', (manager) => {
  const input = fresh({ manager })
  const [host] = input.fleet.hosts
  const [wanted] = host?.services ?? []
  if (wanted === undefined) throw new Error('it is not there')
  const layout = { user: 'op', home: '/home/op', effectiveUid: 0, root: '/etc/converge' }
  const { definition } = managers[manager].render({ service: wanted, settings: input.fleet.settings, layout, key: undefined })
  expect(definition.content.join('')).toMatch(/mlx_lm\.server[\s\S]*--model[\s\S]*\/srv\/models\/mlx/)
})

test('it is installed, started, and then in the desired state', () => {
  const input = fresh()
  const plan = planFleet(input)
  expect(plan.hosts[0]?.refusals).toEqual([])
  expect(plan.hosts[0]?.actions.map(({ kind }) => kind)).toEqual(['install', 'start'])
  const after = done(input, plan)
  expect(actions(after).map(({ kind }) => kind)).toEqual(['noop'])
  expect(compareDrift(after).hosts[0]?.findings).toEqual([])
})

test('a change restarts it at once, as its kind has it', () => {
  const before = fresh({ port: 9993 })
  const after = { ...fresh(), facts: done(before, planFleet(before)).facts }
  expect(actions(after)).toMatchObject([
    { kind: 'update', interrupts: true, risk: 'disruptive', downtime: 'never measured, usually seconds' },
  ])
  const effects = actions(after).flatMap(({ changes }) => changes.map(({ effect }) => effect))
  expect(effects).toContain('cheap-restart')
  expect(effects).not.toContain('costly-restart')
})

test('the rules judge it by what it needs', () => {
  const input = planInputOf({
    about: 'a small machine',
    services: { mlx: service },
    facts: { memory: { totalGb: 8, availableGb: 1 } },
  })
  expect(planFleet(input).hosts[0]?.refusals.map(({ code }) => code)).toContain('MEMORY.INSUFFICIENT')
})

test('its processes are known for what they are', () => {
  const input = fresh()
  const [host] = input.fleet.hosts
  if (host === undefined) throw new Error('it is not there')
  const question = questionFor(host, input.fleet, managers, 'a1b2c3')
  expect(question.programs).toEqual([{ path: '/opt/mlx/bin/mlx_lm.server', kind: third }])
  const process = { pid: 7, ppid: 1, start: '1', user: 'op', command: 'python3', rssBytes: 1, cgroup: [] }
  const argv = ['/usr/bin/python3', '/opt/mlx/bin/mlx_lm.server', '--port', '9992']
  expect(classifyProcess({ ...process, argv }, [], question)).toEqual({ role: third, program: 'mlx_lm.server' })
})

test('a server that runs is read back as fields', () => {
  const words = [
    '--host',
    '127.0.0.1',
    '--port',
    '9992',
    '--model',
    '/srv/models/mlx',
    '--prompt-cache-size',
    '4',
    '--temp',
    '0.7',
  ]
  const argv = ['/opt/mlx/bin/python3', '/opt/mlx/bin/mlx_lm.server', ...words]
  expect(kindC.readBack({ argv, env: {} })).toEqual({
    fields: {
      interpreter: '/opt/mlx/bin/python3',
      executable: '/opt/mlx/bin/mlx_lm.server',
      host: '127.0.0.1',
      port: 9992,
      model: { path: '/srv/models/mlx' },
      prompt_cache_size: 4,
      extra_args: ['--temp', '0.7'],
    },
    unstated: [],
    problems: [],
  })
  const [program = ''] = argv.slice(1)
  expect(kindC.readBack({ argv: [program, '--port', '9992'], env: {} }).unstated).toEqual(['host'])
})

test('fields of other kinds are refused', () => {
  const merged = { key: place, fields: new Map([['ram_gb', { key: place, value: { ...place, type: 'scalar', value: 8 } }]]) }
  const written = { kind: third, port: 9992, model: { path: '/srv/models/mlx' }, executable: '/opt/mlx/bin/mlx_lm.server' }
  // oxlint-disable-next-line typescript/no-explicit-any -- of a merged service no more is looked at
  const found = checkService({ host: 'nas', name: 'mlx', platform: 'linux', merged: merged as any, written })
  expect(found.map(({ words }) => words('nas'))).toEqual(['`ram_gb` belongs to kind B, but `mlx` of nas is kind C.'])
})

const place = { file: 'hosts.yaml', line: 1, column: 1 }
