import { digestOf, sha256 } from '../../src/lib/digest.ts'
import { containerNames } from '../../src/managers/compose/names.ts'
import { launchInContainer, modelBind, portMapping } from '../../src/managers/compose/project.ts'
import { managers } from '../../src/managers/index.ts'
import { launchAsAgent } from '../../src/managers/launchd/definition.ts'
import type { Manager, Rendered, RenderedFile, RenderInput } from '../../src/managers/manager.ts'
import { ownershipLabelOf } from '../../src/managers/ownership-label.ts'
import { accountOf, launchAsUnit, unitName, unitPath } from '../../src/managers/systemd/definition.ts'
import type { Container, DefinitionFile, HostFacts, KeyFile, Listener, Resident } from '../../src/model/facts.ts'
import type { Fleet, Service } from '../../src/model/fleet.ts'
import type { HttpFact } from '../../src/model/http-fact.ts'
import type { Launch } from '../../src/model/launch.ts'
import { known, mapObserved, type Observed } from '../../src/model/observed.ts'
import { redactedText, Secret, type SecretText } from '../../src/model/secret.ts'
import { digestOfDefinition } from '../../src/simulate/digest.ts'
import { asSized } from './as-sized.ts'
import { withAgent, withAgentIdle, withoutAgent } from './simulated-agent.ts'
import { pidOf } from './simulated-pid.ts'

/**
 * A host as the probe would see it after a service was applied: files as the manager renders them, and a process (or container)
 * started from them. It lets a test ask what a plan finds on a host where things already are.
 */
export interface Applied {
  readonly fleet: Fleet
  readonly service: Service
  readonly key: Secret | undefined
  readonly running: boolean
}

/** The facts with one service in place; whatever was there of it before is replaced. */
export function withApplied(facts: HostFacts, applied: Applied): HostFacts {
  const input = asSized(facts, applied)
  const { service } = input
  const manager = managers[service.manager]
  const clean = withoutService(facts, service, manager)
  const written = withFiles(clean, input, manager)
  const supervised = supervise[service.manager](written, input, applied.running)
  return applied.running ? withServer(supervised, input) : supervised
}

const supervise = { compose: withContainer, systemd: withUnit, launchd: withAgent } as const

/** The facts with new files of a service whose process, if there is one, goes on as it was started. */
export function withFilesAlone(facts: HostFacts, applied: Applied): HostFacts {
  return withFiles(facts, asSized(facts, applied), managers[applied.service.manager])
}

/** The facts after a service was stopped; its files and its container stay as they are. */
export function withStopped(facts: HostFacts, service: Service): HostFacts {
  const stopped: Pick<Container, 'state' | 'pid' | 'health'> = { state: 'exited', pid: 0, health: 'none' }
  return {
    ...withoutProcesses(facts, service),
    containers: mapObserved(facts.containers, (one) => ({
      ...one,
      containers: one.containers.map((container) =>
        containerNames(service).includes(container.name) ? { ...container, ...stopped } : container,
      ),
    })),
    systemd: mapObserved(facts.systemd, (one) =>
      service.manager === 'systemd'
        ? { ...one, units: { ...one.units, [unitName(service)]: unitFact(service, { there: true, running: false }) } }
        : one,
    ),
    launchd: withAgentIdle(facts, service),
  }
}

/** The facts without anything of one service. */
export function withoutService(facts: HostFacts, service: Service, manager: Manager = managers[service.manager]): HostFacts {
  const question = manager.asks(service, 'example')
  const others = facts.systemd.known
    ? Object.entries(facts.systemd.value.units).filter(([name]) => name !== unitName(service))
    : []
  return {
    ...withoutProcesses(facts, service),
    definitions: { ...facts.definitions, ...gone(question.definitions) },
    keyFiles: { ...facts.keyFiles, ...gone(question.keyFiles) },
    containers: mapObserved(facts.containers, (one) => ({
      ...one,
      containers: one.containers.filter(({ name }) => !containerNames(service).includes(name)),
    })),
    systemd: mapObserved(facts.systemd, (one) => ({
      ...one,
      units: { ...Object.fromEntries(others), [unitName(service)]: unitFact(service, { there: false, running: false }) },
    })),
    launchd: withoutAgent(facts, service),
    applied: mapObserved(facts.applied, ({ [service.name]: _gone, ...rest }) => rest),
  }
}

function withoutProcesses(facts: HostFacts, service: Service): HostFacts {
  const pid = pidOf(service)
  return {
    ...facts,
    residents: mapObserved(facts.residents, (all) => all.filter((one) => one.pid !== pid && one.ppid !== pid)),
    listeners: mapObserved(facts.listeners, (all) => all.filter((one) => !one.pid.known || one.pid.value !== pid)),
    http: Object.fromEntries(Object.entries(facts.http).filter(([name]) => name !== service.name)),
  }
}

function gone(paths: readonly string[]): Readonly<Record<string, Observed<null>>> {
  return Object.fromEntries(paths.map((path) => [path, known(null)]))
}

function withFiles(facts: HostFacts, input: RenderInput, manager: Manager): HostFacts {
  const rendered = manager.render(input)
  const question = manager.asks(input.service, input.settings.org)
  const mark = ownershipLabelOf(input.settings.org, input.service.name)
  return {
    ...facts,
    // Others are where it could have been before.
    definitions: { ...facts.definitions, ...record(question.definitions.slice(0, 1), definitionOnDisk(rendered, mark)) },
    keyFiles: {
      ...facts.keyFiles,
      ...(rendered.keyFile === undefined ? {} : record(question.keyFiles, keyFileOnDisk(rendered.keyFile, facts.salt))),
    },
    applied: withRecord(facts.applied, input, digestOfDefinition(rendered.definition)),
  }
}

/** Earlier measurements are kept. */
function withRecord(
  applied: HostFacts['applied'],
  { service, settings }: RenderInput,
  definitionDigest: string,
): HostFacts['applied'] {
  return mapObserved(applied, (records) => {
    const about = { service: service.name, mark: ownershipLabelOf(settings.org, service.name), definitionDigest, wanted: {} }
    const own = { ...records[service.name], ...about, runId: 'r1', appliedAt: '2026-10-20T08:00:00.000Z' }
    return { ...records, [service.name]: own }
  })
}

/** The facts after it was written down what was applied, and nothing else. */
export function withRecordAlone(facts: HostFacts, applied: Applied): HostFacts {
  return { ...facts, applied: withFilesAlone(facts, applied).applied }
}

function record<T>(paths: readonly string[], value: T): Readonly<Record<string, Observed<T>>> {
  return Object.fromEntries(paths.map((path) => [path, known(value)]))
}

function definitionOnDisk({ definition }: Rendered, mark: string): DefinitionFile {
  const { path, content, mode } = definition
  return { path, digest: sha256(opened(content)), content: redactedText(content), mode, owner: 'root', mark }
}

function keyFileOnDisk({ path, content, mode }: RenderedFile, salt: string): KeyFile {
  return { path, saltedDigest: sha256(salt + opened(content)), mode, owner: 'root', modifiedAt: 1_790_000_000 }
}

/** What lies on a host's disk is open. */
function opened(text: SecretText): string {
  return text.map((piece) => (piece instanceof Secret ? piece.reveal() : piece)).join('')
}

function withContainer(facts: HostFacts, input: RenderInput, running: boolean): HostFacts {
  const { service } = input
  const launch = launchInContainer(input)
  const container: Container = {
    id: containerId(service),
    name: containerNames(service)[0],
    image: service.image ?? '',
    state: running ? 'running' : 'created',
    health: running ? 'healthy' : 'none',
    exitCode: 0,
    restartCount: 0,
    oomKilled: false,
    pid: running ? pidOf(service) : 0,
    startedAt: '2026-10-30T08:00:00Z',
    entrypoint: service.kind === 'A' ? ['/app/llama-server'] : launch.program,
    command: launch.args.map(String),
    restartPolicy: 'unless-stopped',
    stopTimeoutS: service.stopTimeoutS,
    binds: [modelBind(service)],
    ports: [portMapping(input)],
    labels: labelsOf(facts, input),
  }
  return {
    ...facts,
    containers: mapObserved(facts.containers, (one) => ({ ...one, containers: [...one.containers, container] })),
  }
}

/** As compose copies them from the file on disk. */
function labelsOf(facts: HostFacts, { service, settings }: RenderInput): Container['labels'] {
  const [asked = ''] = managers[service.manager].asks(service, settings.org).definitions
  const file = facts.definitions[asked]
  const content = file?.known === true ? (file.value?.content ?? '') : ''
  const digest = /converge\.definition: "?([0-9a-f]{64})/.exec(content)?.[1] ?? ''
  return { 'converge.managed': ownershipLabelOf(settings.org, service.name), 'converge.definition': digest }
}

function withUnit(facts: HostFacts, { service }: RenderInput, running: boolean): HostFacts {
  return {
    ...facts,
    systemd: mapObserved(facts.systemd, (one) => ({
      ...one,
      units: { ...one.units, [unitName(service)]: unitFact(service, { there: true, running }) },
    })),
  }
}

function unitFact(service: Service, { there, running }: { readonly there: boolean; readonly running: boolean }) {
  return {
    loadState: there ? 'loaded' : 'not-found',
    activeState: running ? 'active' : 'inactive',
    subState: running ? 'running' : 'dead',
    result: 'success',
    mainPid: running ? pidOf(service) : 0,
    restarts: 0,
    needDaemonReload: false,
    unitFileState: there ? (running ? 'enabled' : 'disabled') : '',
    fragmentPath: there ? unitPath(service) : '',
    dropIns: [],
    execMainStatus: 0,
    execMainCode: 0,
  }
}

function withServer(facts: HostFacts, input: RenderInput): HostFacts {
  const { service } = input
  const front = residentOf(facts, input)
  const listener: Listener = { address: service.bind, port: service.port, pid: known(front.pid), process: front.command }
  const processes = service.kind === 'B' ? [front, engineOf(front)] : [front]
  return {
    ...facts,
    residents: mapObserved(facts.residents, (all) => [...all, ...processes]),
    listeners: mapObserved(facts.listeners, (all) => [...all, listener]),
    http: { ...facts.http, [service.name]: known(idle(service)) },
  }
}

function engineOf(front: Resident): Resident {
  const { port: _, ...rest } = front
  return {
    ...rest,
    pid: front.pid + 100_000,
    ppid: front.pid,
    command: 'exe',
    argv: ['/opt/kindb/engine', '0'],
    role: 'engine',
    program: 'engine',
  }
}

const launches = { compose: launchInContainer, systemd: launchAsUnit, launchd: launchAsAgent } as const

/** As the probe reports it: of a key its salted digest. */
function environmentOf({ env, secretEnv }: Launch, salt: string): Readonly<Record<string, string>> {
  const entries = Object.entries({ ...env, ...secretEnv }).map(([name, value]) => [
    name,
    value instanceof Secret ? sha256(salt + value.reveal()) : value,
  ])
  return Object.fromEntries(entries)
}

function residentOf(facts: HostFacts, input: RenderInput): Resident {
  const { service } = input
  const inContainer = service.manager === 'compose'
  const launch = launches[service.manager](input)
  return {
    pid: pidOf(service),
    ppid: 1,
    start: '1000',
    startedAt: 1_790_000_100,
    seenAt: 1_793_520_000,
    user: inContainer ? 'root' : accountOf(input),
    command: service.kind === 'A' ? 'llama-server' : 'python3',
    argv: [...launch.program, ...launch.args].map(String),
    rssBytes: 2 * 1024 ** 3,
    anonBytes: 1024 ** 3,
    role: service.kind,
    program: service.kind === 'A' ? 'llama-server' : 'serve',
    port: service.port,
    ...(inContainer ? { container: containerId(service).slice(0, 12) } : {}),
    ...(service.manager === 'systemd' ? { unit: unitName(service) } : {}),
    // The environment of Kind A is not read, and on a Mac no environment at all.
    ...(service.kind === 'B' && service.manager !== 'launchd' ? { env: environmentOf(launch, facts.salt) } : {}),
  }
}

/** A server that answers and has nothing to do. */
export function idle(service: Service): HttpFact {
  return {
    health: { status: 200, ms: 2 },
    models: known([service.alias]),
    props: known({ nCtx: service.ctxSize, modelPath: service.model.path, alias: service.alias }),
    busy: known(0),
    completed: service.kind === 'B' ? known(3) : { known: false, because: 'not-gathered' },
    keyAccepted: known(true),
  }
}

function containerId(service: Service): string {
  return digestOf(['container', service.name])
}
