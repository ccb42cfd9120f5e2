import { digestOf } from '../../src/lib/digest.ts'
import { managerFor } from '../../src/managers/index.ts'
import type { AppliedRecord } from '../../src/model/applied-record.ts'
import type { DefinitionFile, HostFacts } from '../../src/model/facts.ts'
import type { Host, Service } from '../../src/model/fleet.ts'
import { known, mapObserved, unknown } from '../../src/model/observed.ts'
import type { Consent } from '../../src/model/playbook.ts'
import type { PlanInput } from '../../src/plan/plan-fleet.ts'
import type { FleetLot, HostLot, PastLot, ServiceLot } from './arbitrary-fleet.ts'
import { aFleet, aHost, aService, type ServiceOptions } from './build.ts'
import { planInputOf, type ScenarioFacts } from './scenario.ts'
import { filled } from './taken-memory.ts'

const names = ['ada', 'bob', 'cleo', 'dan', 'eve', 'fay', 'gus', 'hal', 'ida', 'jon'] as const
export const olderKey = 'an-0lder-key-of-letters'
const firstPort = 9990
/** No sum of what servers take is as large as what is left, to the byte. */
const unround = 0.003

/** A fleet as it is, which no probe sees quite so: `asSeen` is what a planner is given. */
export function fleetInput(lot: FleetLot): PlanInput {
  const hosts = lot.hosts.map((one, index) => hostInput(one, hostName(index)))
  const all = hosts.flatMap(({ fleet }) => fleet.hosts)
  const settings = lot.headroomGb === undefined ? {} : { headroomGb: lot.headroomGb }
  return {
    fleet: aFleet({ hosts: all, settings }),
    facts: new Map(hosts.flatMap(({ facts }) => [...facts])),
    keys: new Map(hosts.flatMap(({ keys }) => [...keys])),
    selection: {
      hosts: all.map((host) => host.name),
      services: ['*'],
      pairs: new Set(lot.hosts.flatMap((one, index) => selectedOn(one, hostName(index)))),
    },
    consents: lot.consents.map(
      ({ code, place, host }): Consent => ({
        code,
        service: place === undefined ? '*' : nameAt(place),
        ...(host === undefined ? {} : { host: hostName(host) }),
        reason: 'planned',
        origin: { flag: '--allow' },
      }),
    ),
    ...(lot.waits === true ? { waitIdleS: 600 } : {}),
    now: '2026-11-01T08:00:00.000Z',
  }
}

/** With what the probe could not tell of each host. */
export function asSeen(input: PlanInput, lot: FleetLot): PlanInput {
  const blind = new Map(lot.hosts.map((one, index) => [hostName(index), one.blind]))
  const seen = [...input.facts].map(([name, facts]) => {
    const what = blind.get(name)
    return [name, what === undefined ? facts : { ...facts, [what]: unknown('timed-out') }] as const
  })
  return { ...input, facts: new Map(seen) }
}

/** What lies on a host as facts; one that could not be looked at has none. */
export function factsOf({ facts }: PlanInput, host: string): HostFacts {
  const seen = facts.get(host)
  if (seen === undefined || !('salt' in seen)) throw new Error(`${host} was not looked at`)
  return seen
}

function hostName(index: number): string {
  return `host${index + 1}`
}

function nameAt(place: number): string {
  return names[place] ?? names[0]
}

function selectedOn({ services, selected }: HostLot, host: string): readonly string[] {
  const places = services.map((_, place) => place).filter((place) => selected?.includes(place) !== false)
  return places.map((place) => `${host}/${nameAt(place)}`)
}

function hostInput(lot: HostLot, name: string): PlanInput {
  const services = lot.services.map((one, place) => [nameAt(place), one, place] as const)
  const input = planInputOf({
    about: 'made at random',
    host: { name, platform: lot.platform },
    services: Object.fromEntries(services.map(([service, one, place]) => [service, wishOf(one, place, lot)])),
    was: Object.fromEntries(
      services.flatMap(([service, { was }, place]) => (was === undefined ? [] : [[service, pastOf(was, place, lot)]])),
    ),
    keys: Object.fromEntries(services.flatMap(([service, { key }]) => (key === 'missing' ? [[service, null]] : []))),
    hostKeys: Object.fromEntries(
      services.flatMap(([service, { key, was }]) =>
        key === 'another before' && was?.state === 'running' ? [[service, olderKey]] : [],
      ),
    ),
    facts: surroundings(lot, services),
  })
  const [host = aHost()] = input.fleet.hosts
  const facts = factsOf(input, name)
  return {
    ...input,
    facts: new Map([[name, withRecords(withOwners(filled(facts, startedOn(lot, host)), lot, host), lot, host)]]),
  }
}

function wishOf(lot: ServiceLot, place: number, host: HostLot): ServiceOptions {
  const { kind, state, manager, portOf = place, ctxSize, caches, ramGb, inline } = lot
  return {
    kind,
    state,
    manager: host.platform === 'macos' ? 'launchd' : (manager ?? (kind === 'A' ? 'compose' : 'systemd')),
    port: firstPort + portOf,
    ...sizeOf(kind, { ctxSize, caches, ramGb }),
    keyDelivery: inline === true ? 'inline' : 'file',
  }
}

/** What it was applied with where that was something else. */
function pastOf({ state, ctxSize, caches, ramGb, inline }: PastLot, place: number, host: HostLot): ServiceOptions {
  const kind = host.services[place]?.kind ?? 'A'
  const wish = host.services[place]
  const turned = (place + (host.turned ?? 0)) % host.services.length
  return {
    state,
    port: firstPort + turned,
    ...sizeOf(kind, { ctxSize: ctxSize ?? wish?.ctxSize, caches: caches ?? wish?.caches, ramGb: ramGb ?? wish?.ramGb }),
    keyDelivery: (inline ?? wish?.inline) === true ? 'inline' : 'file',
  }
}

interface Size {
  readonly ctxSize: number | undefined
  readonly caches: true | undefined
  readonly ramGb: number | undefined
}

function sizeOf(kind: 'A' | 'B', { ctxSize, caches, ramGb }: Size): ServiceOptions {
  return kind === 'A'
    ? { ctxSize: ctxSize ?? 4096, extraArgs: ['--cache-ram', caches === true ? '8192' : '0'] }
    : { ctxSize: ctxSize ?? 4096, ramGb: ramGb ?? 8 }
}

function surroundings(
  { totalGb, availableGb, strangers = [], taken, platform, loggedOut }: HostLot,
  services: readonly (readonly [string, ServiceLot, number])[],
): ScenarioFacts {
  const told = <T>(value: (lot: ServiceLot) => T | undefined) =>
    Object.fromEntries(
      services.flatMap(([name, one]) => {
        const found = value(one)
        return found === undefined ? [] : [[name, found] as const]
      }),
    )
  const mac = { platform: { value: { os: 'macos' } }, layout: { value: { consoleUser: loggedOut === true ? null : 'op' } } }
  // A server on a Mac whose model is gone may map all that it uses, for all anybody can tell.
  const mapsUnseen = platform === 'macos'
  return {
    memory: { totalGb, availableGb: Math.min(availableGb, totalGb - 2) + unround },
    residents: strangers,
    listeners: taken === undefined ? [] : [{ port: firstPort + taken, process: 'nginx' }],
    models: told(({ model, was }) =>
      model === undefined || (mapsUnseen && was?.state === 'running') ? undefined : models[model],
    ),
    http: told(({ server, was }) => (server === undefined || was?.state !== 'running' ? undefined : servers[server])),
    over: {
      leftovers: Object.fromEntries(services.flatMap(([name, one]) => (one.left === true ? [leftBeside(name, one)] : []))),
      ...(platform === 'macos' ? mac : {}),
    },
  }
}

const models = {
  missing: null,
  unreadable: { unknown: 'timed-out' },
  unfinished: { unfinished: ['/srv/models/x.incomplete'] },
} as const

const servers = { busy: { busy: 2 }, deaf: { busy: { unknown: 'timed-out' } }, mute: { unknown: 'timed-out' } } as const

function leftBeside(name: string, { kind }: ServiceLot) {
  const path = `@root/keys/${name}.${kind === 'A' ? 'key' : 'env'}`
  return [path, known([`/etc/converge/keys/${name}.converge-previous`])] as const
}

/** The services that ran, as they were then. */
function startedOn(lot: HostLot, host: Host): readonly Service[] {
  return host.services.flatMap((service, place) => {
    const was = lot.services[place]?.was
    return was?.state === 'running' ? [{ ...service, ...aService({ ...service, ...pastOf(was, place, lot) }) }] : []
  })
}

function withOwners(facts: HostFacts, lot: HostLot, host: Host): HostFacts {
  const foreign = host.services.filter((_, place) => lot.services[place]?.foreign === true)
  const paths = foreign.flatMap((service) => managerFor(service.manager)?.asks(service, 'example').definitions ?? [])
  const definitions = paths.map((path) => {
    const seen = facts.definitions[path] ?? known(null)
    return [path, mapObserved(seen, (file) => (file === null ? null : byHand(file)))] as const
  })
  return { ...facts, definitions: { ...facts.definitions, ...Object.fromEntries(definitions) } }
}

function byHand(file: DefinitionFile): DefinitionFile {
  const content = file.content.replace(/converge: managed \S+/, 'by hand')
  return { ...file, content, digest: digestOf(content), mark: null }
}

/** As the runs left them that applied the services: they saw each come up that ran. */
function withRecords(facts: HostFacts, lot: HostLot, host: Host): HostFacts {
  const records = host.services.flatMap(({ name }, place) => {
    const { was, foreign } = lot.services[place] ?? {}
    const record = facts.applied.known ? facts.applied.value[name] : undefined
    return was === undefined || foreign === true || record === undefined ? [] : [[name, seenUp(record, was.state)] as const]
  })
  return { ...facts, applied: known(Object.fromEntries(records)) }
}

function seenUp(record: AppliedRecord, state: 'running' | 'stopped'): AppliedRecord {
  const { appliedAt: measuredAt, definitionDigest } = record
  const warmup = { healthyS: 10, measuredAt, model: digestOf('of another day'), definitionDigest }
  return { ...record, wanted: { state }, warmup }
}
