import { afterAll, beforeAll, expect, test } from 'vitest'
import { sha256 } from '../../src/lib/digest.ts'
import { managers } from '../../src/managers/index.ts'
import type { HostFacts } from '../../src/model/facts.ts'
import { known } from '../../src/model/observed.ts'
import { redactedText } from '../../src/model/secret.ts'
import { type PlanInput, planFleet } from '../../src/plan/plan-fleet.ts'
import { openCase, renderInputOf } from '../../src/simulate/service-case.ts'
import { judgePortOwner } from '../../src/verify/port-owner.ts'
import type { ServiceOptions } from '../support/build.ts'
import { factsOf } from '../support/fleet-input.ts'
import { planInputOf } from '../support/scenario.ts'
import { idle } from '../support/simulated-host.ts'
import { fourth, runit } from './runit.ts'

// What the registry line does.
beforeAll(() => void Object.assign(managers, { [fourth]: runit }))
afterAll(() => void Reflect.deleteProperty(managers, fourth))

const service: ServiceOptions = {
  manager: fourth,
  image: undefined,
  executable: '/usr/bin/llama-server',
  bind: '127.0.0.1',
  key: undefined,
}
const fresh = (more: ServiceOptions = {}) =>
  planInputOf({ about: 'a fourth manager', services: { coder: { ...service, ...more } } })
const kinds = (input: PlanInput) => planFleet(input).hosts[0]?.actions.map(({ kind }) => kind)

/** As the probe would see the host once the service was applied. */
function applied(input: PlanInput): HostFacts {
  const { wanted, subject, render } = caseOf(input)
  const { content, path, mode } = runit.render(render).definition
  const text = redactedText(content)
  const mark = `com.example.${wanted.name}`
  const definition = { path, digest: sha256(text), content: text, mode, owner: 'root', mark }
  const launched = (/^exec (\/.*)$/m.exec(text)?.[1] ?? '').split(' ')
  const process = { pid: 4242, ppid: 1, start: '1000', user: 'root', command: 'llama-server', argv: launched }
  const resident = { ...process, rssBytes: 1e9, role: wanted.kind, program: 'llama-server', port: wanted.port }
  const record = {
    service: wanted.name,
    mark,
    definitionDigest: sha256(text),
    wanted: {},
    runId: 'r1',
    appliedAt: '2026-10-20T08:00:00.000Z',
  }
  return {
    ...subject.facts,
    definitions: { [path]: known(definition), '/etc/service/coder/run': known(definition) },
    residents: known([resident]),
    listeners: known([{ address: wanted.bind, port: wanted.port, pid: known(4242), process: 'llama-server' }]),
    http: { [wanted.name]: known(idle(wanted)) },
    applied: known({ [wanted.name]: record }),
  }
}

function caseOf(input: PlanInput) {
  const [host] = input.fleet.hosts
  const wanted = host?.services[0]
  if (host === undefined || wanted === undefined) throw new Error('it is not there')
  const subject = openCase(input.fleet, host, wanted, { facts: factsOf(input, host.name), keys: input.keys })
  const render = renderInputOf(subject)
  if (render === undefined) throw new Error('it cannot be rendered')
  return { wanted, subject, render }
}

const after = (input: PlanInput, facts: HostFacts): PlanInput => ({ ...input, facts: new Map([['nas', facts]]) })

test('a service is installed and started by it, with its own commands', () => {
  const input = fresh()
  const plan = planFleet(input)
  expect(plan.hosts[0]?.refusals).toEqual([])
  expect(kinds(input)).toEqual(['install', 'start'])
  const { subject, render } = caseOf(input)
  const steps = plan.hosts[0]?.actions.flatMap((action) => subject.manager.compile(action, render, subject.facts).steps)
  expect(steps?.map(({ label }) => label)).toEqual(['write /etc/sv/coder/run', 'have runit start coder, now and at boot'])
})

test('an applied service is in the desired state, and belongs to it', () => {
  const input = fresh()
  const facts = applied(input)
  expect(kinds(after(input, facts))).toEqual(['noop'])
  const { wanted } = caseOf(input)
  expect(judgePortOwner(wanted, facts, { pid: 4242 })).toMatchObject({ ok: true })
})

test('a change is written and restarts the server', () => {
  const facts = applied(fresh())
  expect(planFleet(after(fresh({ ctxSize: 8192 }), facts)).hosts[0]?.actions).toMatchObject([
    { kind: 'update', interrupts: true, starts: true, manager: fourth },
  ])
})

test.each([
  ['a foreign file', { mark: null }, 'DEFINITION.FOREIGN'],
  ['an account that is not root', { uid: 1000 }, 'PRIVILEGE.MISSING'],
] as const)('the rules refuse %s', (_name, given, code) => {
  const input = fresh({ ctxSize: 8192 })
  const facts = applied(fresh())
  const [path = ''] = Object.keys(facts.definitions)
  const [definition] = Object.values(facts.definitions)
  if (definition?.known !== true || definition.value === null || !facts.layout.known) throw new Error('it is not there')
  const seen =
    'uid' in given
      ? { ...facts, layout: known({ ...facts.layout.value, effectiveUid: given.uid }) }
      : { ...facts, definitions: { [path]: known({ ...definition.value, mark: given.mark }) } }
  expect(planFleet(after(input, seen)).hosts[0]?.refusals.map((refusal) => refusal.code)).toContain(code)
})

test('it is stopped and removed', () => {
  const facts = applied(fresh())
  expect(kinds(after(fresh({ state: 'stopped' }), facts))).toEqual(['stop'])
  expect(kinds(after(fresh({ state: 'absent' }), facts))).toEqual(['remove'])
})
