import { expect, test } from 'vitest'
import { InternalError } from '../../src/errors/converge-error.ts'
import type { HostFacts } from '../../src/model/facts.ts'
import { known } from '../../src/model/observed.ts'
import type { Problem } from '../../src/model/plan.ts'
import { Secret } from '../../src/model/secret.ts'
import { type PlanInput, planFleet } from '../../src/plan/plan-fleet.ts'
import { planExit } from '../../src/run/plan-only.ts'
import { aFleet, aHost, aService, someFacts } from '../support/build.ts'

const silent: Problem = {
  code: 'CONNECT.REFUSED',
  summary: 'The host does not answer.',
  why: 'studio refused the connection.',
  next: ['ping studio'],
}
const nas = aHost({ name: 'nas', services: [aService({ name: 'coder' }), aService({ name: 'flagship', kind: 'B' })] })
const studio = aHost({ name: 'studio', services: [aService({ name: 'writer' })] })
const box = aHost({ name: 'box', services: [aService({ name: 'coder' })] })
const fleet = aFleet({ hosts: [nas, studio, box] })

function input(given: Partial<PlanInput> = {}): PlanInput {
  const services = fleet.hosts.flatMap((host) => host.services)
  return {
    fleet,
    facts: new Map<string, HostFacts | Problem>([
      ['nas', someFacts(nas)],
      ['studio', silent],
      ['box', someFacts(box)],
    ]),
    keys: new Map(services.map((one) => [`${one.host}/${one.name}`, known(new Secret('0123456789abcdef', 'env KEY'))])),
    selection: { hosts: ['box', 'studio', 'nas'], services: ['*'] },
    approvals: [],
    now: '2026-11-01T08:00:00.000Z',
    ...given,
  }
}

test('hosts are in the order of the inventory, and an unreachable one is reported with its problem', () => {
  const { hosts, summary } = planFleet(input())
  expect(hosts.map((host) => [host.host, host.reachable, host.problem?.code, host.actions.length])).toEqual([
    ['nas', true, undefined, 4],
    ['studio', false, 'CONNECT.REFUSED', 0],
    ['box', true, undefined, 2],
  ])
  expect(summary).toEqual({ hosts: 3, changes: 6, refusals: 0, warnings: 3, unreachable: 1 })
})

test('only what is selected is planned', () => {
  const { hosts } = planFleet(input({ selection: { hosts: ['nas'], services: ['flag*', 'nothing'] } }))
  expect(hosts.map((host) => [host.host, host.actions.map((action) => action.id)])).toEqual([
    ['nas', ['nas/flagship/install', 'nas/flagship/start']],
  ])
})

test('a bug that shows in the plan of one host is that host’s problem, and the others are planned', () => {
  const strange = new Map(input().facts)
  strange.set('nas', { ...someFacts(nas), residents: known(undefined as never) })
  const { hosts, summary } = planFleet(input({ facts: strange }))
  expect(hosts.map((host) => [host.host, host.problem?.code, host.actions.length])).toEqual([
    ['nas', 'INTERNAL.HOST', 0],
    ['studio', 'CONNECT.REFUSED', 0],
    ['box', undefined, 2],
  ])
  expect(hosts[0]?.problem?.why).toMatch(/worked on nas.*TypeError/)
  expect(summary.unreachable).toBe(2)
  expect(planExit(planFleet(input({ facts: strange })), false)).toBe(1)
})

test('a plan that would be too large is the problem of its host alone, however long the words of the host are', () => {
  for (const characters of [2 ** 20, 2 ** 24]) {
    const path = `/${'x'.repeat(characters)}`
    const engine = { path, version: '26.1.5', compose: known({ argv: [path, 'compose'], version: '2.26.1' }) }
    const loud = { ...someFacts(nas), containers: known({ engine, containers: [], images: {} }) }
    const { hosts, summary } = planFleet(input({ facts: new Map(input().facts).set('nas', loud) }))
    expect(hosts.map((host) => [host.host, host.problem?.code, host.actions.length])).toEqual([
      ['nas', 'FACTS.TOO_LARGE', 0],
      ['studio', 'CONNECT.REFUSED', 0],
      ['box', undefined, 2],
    ])
    expect(summary.unreachable).toBe(2)
  }
})

test('a host that was selected and not gathered is a bug, not an empty plan', () => {
  expect(() => planFleet(input({ facts: new Map() }))).toThrow(InternalError)
})

test('a plan cannot be changed once it was made', () => {
  const plan = planFleet(input())
  const parts = [
    plan,
    plan.summary,
    ...plan.hosts,
    ...plan.hosts.flatMap((host) => [host.actions, ...host.actions, ...host.warnings]),
  ]
  expect(parts.filter((part) => !Object.isFrozen(part))).toEqual([])
})

test('the digest says whether two plans are the same, whenever they were made', () => {
  const plan = planFleet(input())
  const later = planFleet(input({ now: '2026-11-02T08:00:00.000Z' }))
  expect(later.created_at).not.toBe(plan.created_at)
  expect(later.digest).toBe(plan.digest)
  expect(planFleet(input({ selection: { hosts: ['nas'], services: ['*'] } })).digest).not.toBe(plan.digest)
})
