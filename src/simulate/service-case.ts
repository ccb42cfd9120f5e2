import { InternalError } from '../errors/converge-error.ts'
import { isManagedService } from '../inventory/is-managed-service.ts'
import { defined } from '../lib/defined.ts'
import { oncePerObject } from '../lib/once-per-object.ts'
import { managers } from '../managers/index.ts'
import type { Manager, ManagerQuestion, RenderInput, ServiceState, SharedFile } from '../managers/manager.ts'
import type { Action } from '../model/action.ts'
import type { HostFacts, ModelFiles } from '../model/facts.ts'
import type { Fleet, Host, Service } from '../model/fleet.ts'
import type { Launch, MemoryNeed } from '../model/launch.ts'
import type { WantedState } from '../model/names.ts'
import { known, type Observed, unknown } from '../model/observed.ts'
import { type Operation, overrideField } from '../model/operation.ts'
import type { RegistryImage } from '../model/registry.ts'
import type { Secret } from '../model/secret.ts'
import type { StepGroup } from '../model/step.ts'
import { serverKinds } from '../servers/index.ts'
import { withStopTimeout } from '../servers/stop-timeout.ts'
import { homeOf } from './account-of.ts'
import { expectedModel } from './fetch/expected-model.ts'
import type { JudgedModel } from './fetch/judge-host.ts'

/** Everything known about one service of the inventory on one host before any decision. */
export interface ServiceCase {
  readonly fleet: Fleet
  readonly host: Host
  readonly service: Service
  readonly facts: HostFacts
  readonly manager: Manager
  readonly question: ManagerQuestion
  readonly state: Observed<ServiceState>
  /** What a person asks of it now, in place of the state in the inventory. Absent: nothing. */
  readonly asked?: AskedOperation
  /** Undefined: the service has none, or is to be absent and needs none. */
  readonly key: Observed<Secret> | undefined
  /** The state of its model; absent: not from a hub, or irrelevant. */
  readonly fetch?: JudgedModel
  /** Only versions are moved, see `plan/propose-upgrade.ts`; absent: this is no upgrade. */
  readonly upgrade?: ServiceUpgrade
  /** What a server would load: as it is on the host, or, if some of it is missing, as it will be. */
  readonly model: Observed<ModelFiles | null>
}

export interface AskedOperation {
  readonly operation: Operation
  /** What the inventory says. */
  readonly inventory: WantedState
}

/** What registries have under the names of images, as far as they were asked. */
export interface ServiceUpgrade {
  readonly registry: Readonly<Record<string, Observed<RegistryImage>>>
}

export type Keys = ReadonlyMap<string, Observed<Secret>>

export function openCase(
  fleet: Fleet,
  host: Host,
  service: Service,
  seen: {
    readonly facts: HostFacts
    readonly keys: Keys
    readonly models?: readonly JudgedModel[]
    readonly asked?: AskedOperation
    readonly upgrade?: ServiceUpgrade
  },
): ServiceCase {
  const { facts, keys, models = [], asked, upgrade } = seen
  const fetch = models.find(({ about }) => about.model.services.includes(service.name))
  const there = facts.models[service.model.path] ?? unknown('not-gathered')
  const expected = fetch === undefined ? undefined : expectedModel(fetch, there)
  const { org } = fleet.settings
  const manager = managers[service.manager]
  const model = expected === undefined ? there : known(expected)
  return {
    fleet,
    host,
    service: withStopTimeout(service, model),
    facts,
    manager,
    question: manager.asks(service, org),
    state: manager.observe(service, facts, org),
    key: needsKey(service) ? (keys.get(`${host.name}/${service.name}`) ?? unknown('not-gathered')) : undefined,
    model,
    ...defined({ fetch, asked, upgrade }),
  }
}

function needsKey(service: Service): boolean {
  return service.key !== undefined && isManagedService(service)
}

/** Undefined while the key, the layout of the host or the home of the server's account is unknown: rendering needs them. */
export const renderInputOf = oncePerObject(
  ({ fleet, service, facts, key }: Pick<ServiceCase, 'fleet' | 'service' | 'facts' | 'key'>): RenderInput | undefined => {
    const home = homeOf(service, facts)
    if (!facts.layout.known || !home.known || key?.known === false) return undefined
    const bare = bareInputOf({ fleet, service, facts })
    return bare && { ...bare, key: key?.value, ...defined({ home: home.value }) }
  },
)

/** The user's own file of which the service is a part, as it is on the host; undefined: it has none, or there is none yet. */
export function sharedFileOf({ file }: Service, { definitions }: HostFacts): SharedFile | undefined {
  const seen = file === undefined ? undefined : definitions[file]
  if (seen?.known !== true || seen.value === null) return undefined
  const { content: text, mode, owner } = seen.value
  return { text, mode, owner }
}

/**
 * All steps of an action of a service, from the facts of its host. Pure: the same facts give the same steps.
 *
 * @throws InternalError if the action should not have been planned, because its key or its host's layout is unknown
 */
export function stepsOf(subject: ServiceCase, action: Action): StepGroup {
  const input = compileInputOf(subject, action)
  if (input === undefined) throw new InternalError(`${action.id} was planned and cannot be rendered`)
  return subject.manager.compile(action, input, subject.facts)
}

/**
 * The input for compiling an action. Actions that only end a server, or keep the machine awake for it, render nothing and need neither key nor
 * account: a missing key must not prevent a stop. A temporary stop needs it, because it checks the definition for the later start.
 */
export function compileInputOf(
  subject: Pick<ServiceCase, 'fleet' | 'service' | 'facts' | 'key'>,
  { kind, temporary, changes }: Pick<Action, 'kind' | 'temporary' | 'changes'>,
): RenderInput | undefined {
  const onlyRecords = changes.length > 0 && changes.every(({ field }) => field === overrideField)
  const rendersNothing =
    (kind === 'stop' && temporary === undefined) ||
    kind === 'remove' ||
    kind === 'release' ||
    kind === 'host-setting' ||
    onlyRecords
  return rendersNothing ? bareInputOf(subject) : renderInputOf(subject)
}

function bareInputOf({ fleet, service, facts }: Pick<ServiceCase, 'fleet' | 'service' | 'facts'>): RenderInput | undefined {
  if (!facts.layout.known) return undefined
  const around = sharedFileOf(service, facts)
  return { service, settings: fleet.settings, layout: facts.layout.value, key: undefined, ...defined({ around }) }
}

/** How the server would be started, with the host's paths; its flags are the same in a container. */
export const launchOf = oncePerObject(({ service, key }: ServiceCase): Launch | undefined => {
  if (key?.known === false) return undefined
  const keyFile = key === undefined || service.keyDelivery === 'inline' ? {} : { keyFile: '/run/key' }
  return serverKinds[service.kind].launch(service, { model: service.model.path, ...keyFile }, key?.value)
})

export const needOf = oncePerObject(
  ({ service, model }: Pick<ServiceCase, 'service' | 'model'>): Observed<MemoryNeed> =>
    serverKinds[service.kind].needs(service, model),
)
