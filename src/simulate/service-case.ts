import { InternalError } from '../errors/converge-error.ts'
import { defined } from '../lib/defined.ts'
import { oncePerObject } from '../lib/once-per-object.ts'
import { managers } from '../managers/index.ts'
import type { Manager, ManagerQuestion, RenderInput, ServiceState } from '../managers/manager.ts'
import type { Action } from '../model/action.ts'
import type { HostFacts, ModelFiles } from '../model/facts.ts'
import type { Fleet, Host, Service } from '../model/fleet.ts'
import type { Launch, MemoryNeed } from '../model/launch.ts'
import { known, type Observed, unknown } from '../model/observed.ts'
import type { Secret } from '../model/secret.ts'
import type { StepGroup } from '../model/step.ts'
import { serverKinds } from '../servers/index.ts'
import { expectedModel } from './fetch/expected-model.ts'
import type { JudgedModel } from './fetch/judge-host.ts'

/** Everything that is known about one wanted service of one host before anything is decided. */
export interface ServiceCase {
  readonly fleet: Fleet
  readonly host: Host
  readonly service: Service
  readonly facts: HostFacts
  readonly manager: Manager
  readonly question: ManagerQuestion
  readonly state: Observed<ServiceState>
  /** Undefined: the service has none, or is to be absent and needs none. */
  readonly key: Observed<Secret> | undefined
  /** How far its model is; absent: it comes from no hub, or that does not matter for what is asked. */
  readonly fetch?: JudgedModel
  /** What a server would load: as it lies on the host, or, where some of it is still to come, as it will be. */
  readonly model: Observed<ModelFiles | null>
}

export type Keys = ReadonlyMap<string, Observed<Secret>>

export function openCase(
  fleet: Fleet,
  host: Host,
  service: Service,
  seen: { readonly facts: HostFacts; readonly keys: Keys; readonly models?: readonly JudgedModel[] },
): ServiceCase {
  const { facts, keys, models = [] } = seen
  const fetch = models.find(({ about }) => about.model.services.includes(service.name))
  const there = facts.models[service.model.path] ?? unknown('not-gathered')
  const expected = fetch === undefined ? undefined : expectedModel(fetch, there)
  const { org } = fleet.settings
  const manager = managers[service.manager]
  return {
    fleet,
    host,
    service,
    facts,
    manager,
    question: manager.asks(service, org),
    state: manager.observe(service, facts, org),
    key: needsKey(service) ? (keys.get(`${host.name}/${service.name}`) ?? unknown('not-gathered')) : undefined,
    model: expected === undefined ? there : known(expected),
    ...defined({ fetch }),
  }
}

function needsKey(service: Service): boolean {
  return service.key !== undefined && service.state !== 'absent'
}

/** Undefined while the key or the layout of the host is unknown: nothing must be rendered without them. */
export const renderInputOf = oncePerObject(({ fleet, service, facts, key }: ServiceCase): RenderInput | undefined => {
  if (!facts.layout.known || key?.known === false) return undefined
  return { service, settings: fleet.settings, layout: facts.layout.value, key: key?.value }
})

/**
 * Everything that an action of a service sends, from what was seen of its host. Pure: the same facts give the same steps.
 *
 * @throws InternalError where nobody could have planned it, because its key or its host's layout is unknown
 */
export function stepsOf(subject: ServiceCase, action: Action): StepGroup {
  const input = compileInputOf(subject, action)
  if (input === undefined) throw new InternalError(`${action.id} was planned and cannot be rendered`)
  return subject.manager.compile(action, input, subject.facts)
}

/**
 * What a manager compiles an action from. What only ends a server, or keeps the machine awake for it, renders nothing and needs no
 * key: a key that cannot be had must not keep a server up that is wanted stopped. Before one is taken down for a while, what it is to
 * be started from is tried.
 */
export function compileInputOf(
  subject: ServiceCase,
  { kind, temporary }: Pick<Action, 'kind' | 'temporary'>,
): RenderInput | undefined {
  const rendersNothing = (kind === 'stop' && temporary === undefined) || kind === 'remove' || kind === 'host-setting'
  return renderInputOf(rendersNothing ? { ...subject, key: undefined } : subject)
}

/** How the server would be started, with paths as on the host; its flags are the same inside a container. */
export function launchOf({ service, key }: ServiceCase): Launch | undefined {
  if (key?.known === false) return undefined
  const keyFile = key === undefined || service.keyDelivery === 'inline' ? {} : { keyFile: '/run/key' }
  return serverKinds[service.kind].launch(service, { model: service.model.path, ...keyFile }, key?.value)
}

export function needOf({ service, model }: Pick<ServiceCase, 'service' | 'model'>): Observed<MemoryNeed> {
  return serverKinds[service.kind].needs(service, model)
}
