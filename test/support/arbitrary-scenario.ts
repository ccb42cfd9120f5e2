import * as fc from 'fast-check'
import type { ServiceOptions } from './build.ts'
import type { DriftCase } from './drift-case.ts'
import type { Scenario, ScenarioFacts } from './scenario.ts'

/** Hosts, desired services and approvals of every kind, small enough to conflict. */
export const arbitraryScenario: fc.Arbitrary<Scenario> = fc.oneof(linuxScenario(), linuxScenario().map(onMac))

/** The same, with records of the last apply, which may differ from both the desired and the present state. */
export const arbitraryDrift: fc.Arbitrary<DriftCase> = fc
  .tuple(arbitraryScenario, fc.array(fc.option(past(), { nil: undefined }), { minLength: 4, maxLength: 4 }))
  .map(([scenario, records]) => {
    const names = Object.keys(scenario.services)
    const recorded = Object.fromEntries(
      names.flatMap((name, index) => (records[index] === undefined ? [] : [[name, records[index]]])),
    )
    return { ...scenario, recorded }
  })

function agent(wanted: ServiceOptions): ServiceOptions {
  return { ...wanted, manager: 'launchd', executable: '/opt/homebrew/bin/llama-server' }
}

/** The same, on a Mac whose account is logged in. */
function onMac(scenario: Scenario): Scenario {
  const { services, was = {}, facts } = scenario
  return {
    ...scenario,
    host: { platform: 'macos' },
    services: Object.fromEntries(Object.entries(services).map(([name, wanted]) => [name, agent(wanted)])),
    was: Object.fromEntries(Object.entries(was).map(([name, one]) => [name, one === null ? null : agent(one)])),
    facts: {
      ...facts,
      executables: { '/opt/homebrew/bin/llama-server': {} },
      over: { ...facts?.over, platform: { value: { os: 'macos' } }, layout: { value: { consoleUser: 'op' } } },
    },
  }
}

function linuxScenario(): fc.Arbitrary<Scenario> {
  return fc
    .uniqueArray(fc.constantFrom('ada', 'bob', 'cleo', 'dan'), { minLength: 1, maxLength: 4 })
    .chain((names) =>
      fc.record({
        names: fc.constant(names),
        wishes: fc.array(wish(), { minLength: names.length, maxLength: names.length }),
        before: fc.array(fc.option(past(), { nil: undefined }), { minLength: names.length, maxLength: names.length }),
        facts: surroundings(names),
        approvals: fc.array(approval(names), { maxLength: 2 }),
        missingKey: fc.option(fc.constantFrom(...names), { nil: undefined, freq: 6 }),
      }),
    )
    .map(({ names, wishes, before, facts, approvals, missingKey }) => ({
      about: 'made at random',
      services: Object.fromEntries(names.map((name, index) => [name, wishes[index] ?? {}])),
      was: Object.fromEntries(
        names.flatMap((name, index) => {
          const earlier = before[index]
          return earlier === undefined ? [] : [[name, earlier]]
        }),
      ),
      facts,
      approvals,
      ...(missingKey === undefined ? {} : { keys: { [missingKey]: null } }),
    }))
}

function wish(): fc.Arbitrary<ServiceOptions> {
  const common = {
    state: fc.constantFrom('running', 'running', 'running', 'stopped', 'absent'),
    port: fc.constantFrom(9990, 9991, 9992, 9993),
    ctxSize: fc.constantFrom(4096, 16_384, 1_048_576),
    keyDelivery: fc.constantFrom('file', 'file', 'inline'),
  } as const
  return fc.oneof(
    fc.record({ kind: fc.constant('A'), manager: fc.constantFrom('compose', 'systemd'), ...common } as const),
    fc.record({ kind: fc.constant('B'), ramGb: fc.constantFrom(4, 16, 24), ...common } as const),
  )
}

function past(): fc.Arbitrary<ServiceOptions> {
  return fc.record(
    {
      state: fc.constantFrom('running', 'stopped'),
      port: fc.constantFrom(9990, 9991, 9994),
      ctxSize: fc.constantFrom(2048, 4096),
      keyDelivery: fc.constantFrom('file', 'inline'),
    } as const,
    { requiredKeys: ['state'] },
  )
}

function surroundings(names: readonly string[]): fc.Arbitrary<ScenarioFacts> {
  const name = fc.constantFrom(...names)
  return fc.record({
    memory: fc.oneof(
      fc.record({ totalGb: fc.constant(31.2), availableGb: fc.constantFrom(12, 20, 28) }),
      fc.record({ totalGb: fc.constant(64), availableGb: fc.constantFrom(20, 40, 60) }),
      { arbitrary: fc.constant({ unknown: 'timed-out' } as const), weight: 1 },
    ),
    residents: fc.array(fc.record({ rssGb: fc.constantFrom(1, 10), role: fc.constantFrom('A', 'runner') } as const), {
      maxLength: 1,
    }),
    listeners: fc.array(fc.record({ port: fc.constantFrom(9990, 9995), process: fc.constant('nginx') }), { maxLength: 1 }),
    models: fc.dictionary(name, fc.constant(null), { maxKeys: 1 }),
    http: fc.constant({}),
    over: fc.record({ leftovers: fc.dictionary(copyOf(name), fc.constant(leftBehind), { maxKeys: 2 }) }),
  })
}

const leftBehind = { known: true, value: ['/etc/converge/left.converge-previous'] } as const

/** As the probe is asked for the key file of either kind. */
function copyOf(name: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(name, fc.constantFrom('key', 'env')).map(([service, suffix]) => `@root/keys/${service}.${suffix}`)
}

function approval(names: readonly string[]) {
  return fc.record({
    code: fc.constantFrom('WARM.RESTART', 'CORUN.SECOND_KIND_A', 'MEMORY.INSUFFICIENT', 'SERVICE.BUSY'),
    service: fc.constantFrom('*', ...names),
    reason: fc.constant('planned'),
  })
}
