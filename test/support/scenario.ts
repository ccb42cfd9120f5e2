import type { WarmUp } from '../../src/model/applied-record.ts'
import type { Container, HostFacts, Listener, ModelFiles, Resident } from '../../src/model/facts.ts'
import type { Fleet, FleetSettings, Host, Service } from '../../src/model/fleet.ts'
import type { HttpFact } from '../../src/model/http-fact.ts'
import { known, mapObserved, type Observed, unknown } from '../../src/model/observed.ts'
import type { Operation, Override } from '../../src/model/operation.ts'
import type { Approval } from '../../src/model/playbook.ts'
import { Secret, StandIn } from '../../src/model/secret.ts'
import type { PlanInput } from '../../src/plan/plan-fleet.ts'
import { aFleet, aHost, aService, gibibyte, modelOf, type ServiceOptions, someFacts } from './build.ts'
import { memoryOf, type ScenarioMemory } from './scenario-memory.ts'
import { answersOf, fetchesOf, type ScenarioAnswers, type ScenarioFetches } from './scenario-models.ts'
import { scenarioRecords } from './scenario-records.ts'
import { withApplied } from './simulated-host.ts'
import { pidOf } from './simulated-pid.ts'
import { type TheirDefinition, withTheirs } from './their-definition.ts'
import { isNote, noted, observedAs, type UnknownNote } from './unknown-note.ts'
import { writtenSince } from './written-since.ts'

/**
 * One host and its desired state, as a data file describes it. What a file leaves out has the defaults of `build.ts`: a Linux
 * host on which nothing is yet. An observed value is written as it is, or as `{ unknown: <reason>, detail: … }`.
 */
export interface Scenario extends ScenarioAnswers {
  /** What the case is about, for people. */
  readonly about: string
  readonly fleet?: Partial<FleetSettings>
  readonly host?: Partial<Host>
  readonly services: Readonly<Record<string, ServiceOptions>>
  /** Services that were applied before, each with what was different then (`state: stopped`: it is there and does not run). */
  readonly was?: Readonly<Record<string, ServiceOptions | null>>
  /** Applied services whose files were since written as desired, while what runs or is loaded stayed as it was. */
  readonly written?: readonly string[]
  /** Services that a person set up, by name: what the host has of them instead of what converge would write. */
  readonly theirs?: Readonly<Record<string, TheirDefinition>>
  readonly facts?: ScenarioFacts
  /** By service name; absent: a sound key. null: it could not be had. `not-asked`: something stands in for it. */
  readonly keys?: Readonly<Record<string, string | null>>
  /** The keys that the applied services were given, where they are other ones. */
  readonly hostKeys?: Readonly<Record<string, string>>
  readonly select?: readonly string[]
  /** What a person asks of services by name; only these are selected. */
  readonly operations?: Readonly<Record<string, Operation>>
  readonly approvals?: readonly Omit<Approval, 'origin'>[]
  readonly waitIdleS?: number
  readonly maxDowntimeS?: number
}

export interface ScenarioFacts {
  readonly memory?: ScenarioMemory | UnknownNote
  /** Beside those of the applied services; a note makes the whole list unknown. */
  readonly residents?: readonly Partial<Resident & { readonly rssGb: number }>[] | UnknownNote
  readonly listeners?:
    | readonly {
        readonly port: number
        readonly address?: string
        readonly pid?: number | UnknownNote
        readonly process?: string
      }[]
    | UnknownNote
  /** By service name, over a whole small model; null: it is not there. */
  readonly models?: Readonly<Record<string, Partial<Record<keyof ModelFiles | 'gb', unknown>> | UnknownNote | null>>
  /** Of models that come from hubs; absent: the host was not asked. */
  readonly fetches?: ScenarioFetches
  /** By path. */
  readonly executables?: Readonly<
    Record<string, { readonly flags?: readonly string[] | UnknownNote; readonly executable?: boolean } | UnknownNote | null>
  >
  /** By service name, over an idle server. */
  readonly http?: Readonly<Record<string, Readonly<Record<string, unknown>> | UnknownNote>>
  /** By service name: the arguments its process really has. */
  readonly runs?: Readonly<Record<string, readonly string[]>>
  /** By service name: what its process has taken of its own; it maps another GiB. */
  readonly holdsGb?: Readonly<Record<string, number>>
  /** By service name: how long it took to come up when it was last started; of the model and definition there are now. */
  readonly warmups?: Readonly<Record<string, Partial<WarmUp>>>
  /** By service name: the override in its record. */
  readonly overrides?: Readonly<Record<string, Override>>
  /** Services that were applied and of which there is no record. */
  readonly unrecorded?: readonly string[]
  /** Services whose process does not let its environment be read. */
  readonly withoutEnvironment?: readonly string[]
  /** By service name: what its container says of itself. */
  readonly containers?: Readonly<Record<string, Partial<Container>>>
  /** Any other fact, laid over what is there: objects are merged, lists replaced. */
  readonly over?: Readonly<Record<string, unknown>>
}

export const scenarioNow = '2026-11-01T08:00:00.000Z'
export const soundKey = 'k3y-of-letters-and-digits-0123456789'

/** The planner's input that a scenario describes. */
export function planInputOf(scenario: Scenario): PlanInput {
  const services = Object.entries(scenario.services).map(([name, given]) => aService({ name, ...withoutNulls(given) }))
  const host = aHost({ ...scenario.host, services })
  const fleet = aFleet({ hosts: [host], settings: scenario.fleet ?? {} })
  const keys = new Map(
    host.services.filter((one) => one.key !== undefined).map((one) => [`${host.name}/${one.name}`, keyOf(one, scenario)]),
  )
  return {
    fleet,
    facts: new Map([[host.name, factsOf(scenario, fleet, host)]]),
    keys,
    ...answersOf(scenario, host),
    selection: { hosts: [host.name], services: scenario.select ?? Object.keys(scenario.operations ?? { '*': null }) },
    ...(scenario.operations === undefined
      ? {}
      : { operations: new Map(Object.entries(scenario.operations).map(([name, one]) => [`${host.name}/${name}`, one])) }),
    approvals: (scenario.approvals ?? []).map((one) => ({ ...one, origin: { flag: '--allow' } })),
    ...(scenario.waitIdleS === undefined ? {} : { waitIdleS: scenario.waitIdleS }),
    ...(scenario.maxDowntimeS === undefined ? {} : { maxDowntimeS: scenario.maxDowntimeS }),
    now: scenarioNow,
  }
}

/** In a file, null takes a default away. */
function withoutNulls(given: ServiceOptions): ServiceOptions {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value ?? undefined]))
}

function keyOf({ name }: Service, { keys = {} }: Scenario): Observed<Secret> {
  const value = keys[name]
  if (value === null) return unknown('unreadable', 'the variable is not set')
  if (value === 'not-asked') return known(new StandIn('output of `op read coder`'))
  return known(new Secret(value ?? soundKey, `env ${name.toUpperCase()}_KEY`))
}

function factsOf(scenario: Scenario, fleet: Fleet, host: Host): HostFacts {
  const given = scenario.facts ?? {}
  const ours = Object.entries(scenario.was ?? {}).reduce(
    (facts, [name, was]) => applyBefore(facts, { fleet, host, name, before: was, scenario }),
    someFacts(host),
  )
  const before = Object.entries(scenario.theirs ?? {}).reduce((facts, [name, theirs]) => {
    const service = host.services.find((one) => one.name === name)
    return service === undefined ? facts : withTheirs(facts, service, theirs)
  }, ours)
  const applied = writtenSince(before, fleet, scenario.written ?? [], soundKey)
  const facts: HostFacts = {
    ...applied,
    ...(given.memory === undefined ? {} : { memory: observedAs(given.memory, memoryOf) }),
    residents: isNote(given.residents)
      ? noted(given.residents)
      : appended(givenProcesses(applied.residents, given, host), (given.residents ?? []).map(residentOf)),
    listeners: isNote(given.listeners)
      ? noted(given.listeners)
      : appended(applied.listeners, (given.listeners ?? []).map(listenerOf)),
    models: { ...applied.models, ...modelsOf(given, host) },
    ...(given.fetches === undefined ? {} : { fetches: fetchesOf(given.fetches, host) }),
    containers: mapObserved(applied.containers, (one) => ({
      ...one,
      containers: one.containers.map((container) => ({ ...container, ...given.containers?.[container.name] })),
    })),
    executables: { ...applied.executables, ...executablesOf(given) },
    http: { ...applied.http, ...otherKeys(scenario, applied), ...httpOf(given, applied) },
  }
  const recorded = { ...facts, applied: mapObserved(facts.applied, (records) => scenarioRecords(records, given, host, facts)) }
  // What a file lays over the facts is the file's own affair; facts are plain JSON.
  const laidOver: HostFacts = JSON.parse(JSON.stringify(merged(recorded, given.over ?? {})))
  return laidOver
}

function applyBefore(
  facts: HostFacts,
  {
    fleet,
    host,
    name,
    before,
    scenario,
  }: { fleet: Fleet; host: Host; name: string; before: ServiceOptions | null; scenario: Scenario },
): HostFacts {
  const wanted = host.services.find((service) => service.name === name)
  if (wanted === undefined) throw new Error(`the scenario applied ${name}, which is not among its services`)
  const service = { ...aService({ ...wanted, state: 'running', ...withoutNulls(before ?? {}) }), host: host.name }
  const key =
    service.key === undefined ? undefined : new Secret(scenario.hostKeys?.[name] ?? scenario.keys?.[name] ?? soundKey, 'env')
  return withApplied(facts, { fleet, service, key, running: service.state === 'running' })
}

function givenProcesses(
  residents: HostFacts['residents'],
  { runs = {}, holdsGb = {}, withoutEnvironment = [] }: ScenarioFacts,
  host: Host,
) {
  const nameOf = ({ pid }: Resident) => host.services.find((service) => pidOf(service) === pid)?.name ?? ''
  return mapObserved(residents, (all) =>
    all.map((one): Resident => {
      const { env: _env, ...rest } = one
      const visible = withoutEnvironment.includes(nameOf(one)) ? rest : one
      const held = holdsGb[nameOf(one)]
      const memory = held === undefined ? {} : { anonBytes: held * gibibyte, rssBytes: (held + 1) * gibibyte }
      return { ...visible, ...memory, argv: runs[nameOf(one)] ?? one.argv }
    }),
  )
}

function residentOf(given: Partial<Resident & { readonly rssGb: number }>, index: number): Resident {
  const { rssGb = 1, ...rest } = given
  return {
    pid: 70_000 + index,
    ppid: 1,
    start: '99',
    user: 'anna',
    command: 'llama-server',
    argv: ['llama-server'],
    rssBytes: rssGb * gibibyte,
    role: 'A',
    program: 'llama-server',
    ...rest,
  }
}

function listenerOf(given: { port: number; address?: string; pid?: number | UnknownNote; process?: string }): Listener {
  const { pid, ...rest } = given
  return { address: '0.0.0.0', ...rest, pid: pid === undefined ? unknown('not-permitted') : observedAs(pid, (value) => value) }
}

function modelsOf({ models = {} }: ScenarioFacts, host: Host): HostFacts['models'] {
  const entries = Object.entries(models).map(([name, given]) => {
    const service = host.services.find((one) => one.name === name)
    if (service === undefined) throw new Error(`the scenario has a model for ${name}, which is not among its services`)
    return [service.model.path, observedAs(given, (one) => (one === null ? null : modelLike(service, one)))] as const
  })
  return Object.fromEntries(entries)
}

function modelLike(service: Service, given: Readonly<Record<string, unknown>>): ModelFiles {
  const { gb, header, ...rest } = given
  const whole = modelOf(service, typeof gb === 'number' ? gb * gibibyte : undefined)
  const read = header === undefined ? {} : { header: isNote(header) ? noted(header) : known(header) }
  return Object.assign({}, whole, rest, read)
}

function executablesOf({ executables = {} }: ScenarioFacts): HostFacts['executables'] {
  const entries = Object.entries(executables).map(([path, given]) => [
    path,
    observedAs(given, (one) => {
      if (one === null) return null
      const { executable = true, flags = [] } = one
      return { path, executable, flags: isNote(flags) ? noted(flags) : known(flags) }
    }),
  ])
  return Object.fromEntries(entries)
}

function httpOf({ http = {} }: ScenarioFacts, applied: HostFacts): HostFacts['http'] {
  const entries = Object.entries(http).map(([name, given]) => {
    if (isNote(given)) return [name, noted<HttpFact>(given)]
    const before = applied.http[name]
    const answers = Object.entries(given).map(([field, value]) => [
      field,
      field === 'health' ? value : isNote(value) ? noted(value) : known(value),
    ])
    return [name, known({ ...(before?.known === true ? before.value : {}), ...Object.fromEntries(answers) })]
  })
  return Object.fromEntries(entries)
}

/** A server with another key reveals only that. */
function otherKeys({ hostKeys = {} }: Scenario, applied: HostFacts): HostFacts['http'] {
  const hidden = unknown('not-permitted')
  const entries = Object.keys(hostKeys).map((name) => {
    const before = applied.http[name] ?? hidden
    return [
      name,
      mapObserved(before, (http) => ({ ...http, busy: hidden, props: hidden, completed: hidden, keyAccepted: known(false) })),
    ]
  })
  return Object.fromEntries(entries)
}

function appended<T>(before: Observed<readonly T[]>, more: readonly T[]): Observed<readonly T[]> {
  return before.known ? known([...before.value, ...more]) : before
}

function merged(base: unknown, over: unknown): unknown {
  if (isNote(over)) return noted(over)
  if (!isPlain(base) || !isPlain(over)) return over
  const keys = [...new Set([...Object.keys(base), ...Object.keys(over)])]
  return Object.fromEntries(keys.map((key) => [key, key in over ? merged(base[key], over[key]) : base[key]]))
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
