import { digestOf } from '../../src/lib/digest.ts'
import { managers } from '../../src/managers/index.ts'
import type { AppliedRecord } from '../../src/model/applied-record.ts'
import type { DefinitionFile, HostFacts, Resident } from '../../src/model/facts.ts'
import type { Host, Service } from '../../src/model/fleet.ts'
import { known, mapObserved, unknown } from '../../src/model/observed.ts'
import type { Approval } from '../../src/model/playbook.ts'
import type { PlanInput } from '../../src/plan/plan-fleet.ts'
import type { FleetLot, HostLot, PastLot, ServiceLot } from './arbitrary-fleet.ts'
import { aFleet, aHost, aService, type ServiceOptions } from './build.ts'
import { paused } from './paused-container.ts'
import { planInputOf, type ScenarioFacts } from './scenario.ts'
import { withRestartPolicy } from './simulated-container.ts'
import { withFilesAlone } from './simulated-host.ts'
import { pidOf } from './simulated-pid.ts'
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
    approvals: lot.approvals.map(
      ({ code, place, host }): Approval => ({
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

/** With what the probe could not observe of each host. */
export function asSeen(input: PlanInput, lot: FleetLot): PlanInput {
  const seen = lot.hosts.map((one, index) => {
    const name = hostName(index)
    const services = input.fleet.hosts.find((host) => host.name === name)?.services ?? []
    const unread = (what: ServiceLot['unread']) => services.filter((_, place) => one.services[place]?.unread === what)
    const half = withoutEnvironment(withoutDefinition(factsOf(input, name), unread('definition')), unread('environment'))
    return [name, one.blind === undefined ? half : { ...half, [one.blind]: unknown('timed-out') }] as const
  })
  return { ...input, facts: new Map(seen) }
}

function withoutDefinition(facts: HostFacts, services: readonly Service[]): HostFacts {
  const paths = services.flatMap((service) => managers[service.manager].asks(service, 'example').definitions ?? [])
  const unread = Object.fromEntries(paths.map((path) => [path, unknown('not-permitted')]))
  return { ...facts, definitions: { ...facts.definitions, ...unread } }
}

/** Of its process; launchd reports what it has loaded. */
function withoutEnvironment(facts: HostFacts, services: readonly Service[]): HostFacts {
  const pids = new Set(services.map(pidOf))
  const closed = ({ env, ...rest }: Resident): Resident =>
    env === undefined || pids.has(rest.pid) || pids.has(rest.ppid) ? rest : { ...rest, env }
  return { ...facts, residents: mapObserved(facts.residents, (all) => all.map(closed)) }
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
  const facts = withHands(factsOf(input, name), lot, input)
  return {
    ...input,
    facts: new Map([
      [
        name,
        withRecords(withOwners(paused(grown(filled(facts, startedOn(lot, host)), lot, host), lot, host), lot, host), lot, host),
      ],
    ]),
  }
}

function wishOf(lot: ServiceLot, place: number, host: HostLot): ServiceOptions {
  const { kind, state, manager, portOf = place, ctxSize, caches, ramGb, inline, key } = lot
  return {
    kind,
    state,
    manager: host.platform === 'macos' ? 'launchd' : (manager ?? (kind === 'A' ? 'compose' : 'systemd')),
    port: firstPort + portOf,
    ...sizeOf(kind, { ctxSize, caches, ramGb }),
    keyDelivery: inline === true ? 'inline' : 'file',
    ...(key === 'none wanted' ? { key: undefined, bind: '127.0.0.1' } : {}),
  }
}

/** What it was applied with where that was something else. */
function pastOf({ state, ctxSize, caches, ramGb, inline, larger }: PastLot, place: number, host: HostLot): ServiceOptions {
  const kind = host.services[place]?.kind ?? 'A'
  const model = { path: `/srv/models/larger-${nameAt(place)}${kind === 'A' ? '.gguf' : ''}` }
  const wish = host.services[place]
  const among = Math.min(host.turnedAmong ?? host.services.length, host.services.length)
  const turned = place < among ? (place + (host.turned ?? 0)) % among : place
  return {
    state,
    port: firstPort + turned,
    ...sizeOf(kind, { ctxSize: ctxSize ?? wish?.ctxSize, caches: caches ?? wish?.caches, ramGb: ramGb ?? wish?.ramGb }),
    keyDelivery: (inline ?? wish?.inline) === true ? 'inline' : 'file',
    ...(larger === true ? { model } : {}),
    ...(wish?.key === 'none before' ? { key: undefined } : {}),
    ...(wish?.key === 'none wanted' ? { key: { env: 'THE_KEY' } } : {}),
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
  { totalGb, availableGb, unmanaged = [], taken, platform, loggedOut, withoutRoot }: HostLot,
  services: readonly (readonly [string, ServiceLot, number])[],
): ScenarioFacts {
  const perService = <T>(value: (lot: ServiceLot) => T | undefined) =>
    Object.fromEntries(
      services.flatMap(([name, one]) => {
        const found = value(one)
        return found === undefined ? [] : [[name, found] as const]
      }),
    )
  const sitting = platform === 'macos' ? { consoleUser: loggedOut === true ? null : 'op' } : {}
  const account = { ...sitting, ...(withoutRoot === true ? { effectiveUid: 1000 } : {}) }
  // A server on a Mac whose model is gone may map all that it uses: nothing shows the difference.
  const mapsUnseen = platform === 'macos'
  return {
    memory: { totalGb, availableGb: Math.min(availableGb, totalGb - 2) + unround },
    residents: unmanaged,
    listeners: taken === undefined ? [] : [{ port: firstPort + taken, process: 'nginx' }],
    models: perService(({ model, was }) =>
      model === undefined || (mapsUnseen && was?.state === 'running') ? undefined : models[model],
    ),
    http: perService(({ server, was }) => (server === undefined || was?.state !== 'running' ? undefined : servers[server])),
    over: {
      leftovers: Object.fromEntries(services.flatMap(([name, one]) => (one.left === true ? [leftBeside(name, one)] : []))),
      ...(platform === 'macos' ? { platform: { value: { os: 'macos' } } } : {}),
      layout: { value: account },
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

/** With what happened to services since they were applied. */
function withHands(facts: HostFacts, lot: HostLot, { fleet, keys }: PlanInput): HostFacts {
  const services = fleet.hosts[0]?.services ?? []
  return services.reduce((now, service, place) => {
    const { was, written, meantGb, policy, key } = lot.services[place] ?? {}
    if (was === undefined) return now
    const held = keys.get(`${service.host}/${service.name}`)
    const applied = { fleet, service, key: held?.known === true ? held.value : undefined, running: was.state === 'running' }
    const meant = meantGb === undefined || service.kind === 'A' ? service : { ...service, ramGb: meantGb }
    const isWritten = (written === true || meant !== service) && key !== 'missing' && service.state !== 'absent'
    const ahead = isWritten ? withFilesAlone(now, { ...applied, service: meant }) : now
    return policy === undefined ? ahead : withRestartPolicy(ahead, service, policy)
  }, facts)
}

/** The services that ran, as they were then. */
function startedOn(lot: HostLot, host: Host): readonly Service[] {
  return host.services.flatMap((service, place) => {
    const was = lot.services[place]?.was
    return was?.state === 'running' ? [{ ...service, ...aService({ ...service, ...pastOf(was, place, lot) }) }] : []
  })
}

/** What is young holds a part of what it will take. */
function grown(facts: HostFacts, lot: HostLot, host: Host): HostFacts {
  const pids = new Set(host.services.filter((_, place) => lot.services[place]?.was?.young === true).map(pidOf))
  const share = 0.4
  const small = (one: Resident): Resident => {
    if (!pids.has(one.pid) && !pids.has(one.ppid)) return one
    const anon = one.anonBytes === undefined ? {} : { anonBytes: one.anonBytes * share }
    return { ...one, ...anon, rssBytes: one.rssBytes * share }
  }
  return { ...facts, residents: mapObserved(facts.residents, (all) => all.map(small)) }
}

function withOwners(facts: HostFacts, lot: HostLot, host: Host): HostFacts {
  const foreign = host.services.filter((_, place) => lot.services[place]?.foreign === true)
  const paths = foreign.flatMap((service) => managers[service.manager].asks(service, 'example').definitions ?? [])
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
  const records = host.services.flatMap((service, place) => {
    const { name } = service
    const { was, foreign } = lot.services[place] ?? {}
    const record = facts.applied.known ? facts.applied.value[name] : undefined
    if (was === undefined || foreign === true || record === undefined) return []
    const {
      name: _name,
      host: _host,
      source: _source,
      key: _key,
      ...wanted
    } = aService({ ...service, ...pastOf(was, place, lot) })
    return [[name, seenUp(record, { ...wanted, state: was.state })] as const]
  })
  return { ...facts, applied: known(Object.fromEntries(records)) }
}

function seenUp(record: AppliedRecord, wanted: AppliedRecord['wanted']): AppliedRecord {
  const { appliedAt: measuredAt, definitionDigest } = record
  const warmup = { healthyS: 10, measuredAt, model: digestOf('of another day'), definitionDigest }
  return { ...record, wanted, warmup }
}
