import { defined } from '../../src/lib/defined.ts'
import { managers } from '../../src/managers/index.ts'
import type { Action, ActionKind, FieldChange, Preconditions, TemporaryStop } from '../../src/model/action.ts'
import type { HostFacts } from '../../src/model/facts.ts'
import type { Service } from '../../src/model/fleet.ts'
import type { ManagerName } from '../../src/model/names.ts'
import type { StepGroup } from '../../src/model/step.ts'
import { sharedFileOf } from '../../src/simulate/service-case.ts'
import { changed, type FactChanges } from './changed-facts.ts'
import { type GivenService, hostWith, inputOf } from './given-input.ts'

export interface StepsCase extends FactChanges {
  readonly service: GivenService
  /** How it was before this action, with another context size; null: not at all. */
  readonly before: 'running' | 'stopped' | null
  /** What else was different; null takes a field away. */
  readonly was?: GivenService
  /** With the wanted context size. */
  readonly appliedAsWanted?: boolean
  readonly action: {
    readonly kind: ActionKind
    readonly starts?: boolean
    readonly interrupts?: boolean
    readonly momentary?: true
    readonly temporary?: TemporaryStop
    readonly pulls?: string
    readonly changes?: readonly FieldChange[]
    readonly relies_on: { readonly [K in keyof Preconditions]: Preconditions[K] | 'seen' }
  }
}

export function compileCase(name: ManagerName, given: StepsCase): StepGroup {
  const manager = managers[name]
  const input = inputOf(given.service, 'key-of-the-test')
  const { service } = input
  const facts = factsBefore(given, service)
  const around = sharedFileOf(service, facts)
  return manager.compile(actionOf(given, service, facts), { ...input, ...defined({ around }) }, facts)
}

function factsBefore(given: StepsCase, service: Service): HostFacts {
  const before = given.was === undefined ? service : inputOf({ ...given.service, ...given.was }, 'key-of-the-test').service
  const earlier = given.appliedAsWanted === true ? before : { ...before, ctxSize: before.ctxSize / 2 }
  return changed(hostWith(earlier, given.before, inputOf(given.service, 'key-of-the-test').key), service.name, given)
}

/** `seen` in a case stands for what the manager observes in these facts. */
function actionOf({ action }: StepsCase, service: Service, facts: HostFacts): Action {
  const state = managers[service.manager].observe(service, facts, 'example')
  const { definition_digest, process, ...others } = action.relies_on
  return {
    id: `nas/${service.name}/${action.kind}`,
    host: 'nas',
    service: service.name,
    kind: action.kind,
    manager: service.manager,
    risk: 'safe',
    reason: 'It is requested.',
    changes: action.changes ?? [],
    downtime: 'none',
    interrupts: action.interrupts ?? false,
    starts: action.starts ?? false,
    ...(action.momentary === undefined ? {} : { momentary: action.momentary }),
    ...defined({ temporary: action.temporary, pulls: action.pulls }),
    relies_on: {
      ...onlyPlain(others),
      ...relied('definition_digest', definition_digest, state.known ? state.value.definitionDigest : undefined),
      ...relied('process', process, state.known ? state.value.process : undefined),
    },
  }
}

function relied<K extends string, T>(name: K, value: T | 'seen' | undefined, seen: T | undefined): { readonly [P in K]?: T } {
  const taken = value === 'seen' ? seen : value
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a computed name widens to string
  return (taken === undefined ? {} : { [name]: taken }) as { readonly [P in K]?: T }
}

function onlyPlain({ boot_id, free_port }: StepsCase['action']['relies_on']): Preconditions {
  return {
    ...(typeof boot_id === 'string' ? { boot_id } : {}),
    ...(typeof free_port === 'number' ? { free_port } : {}),
  }
}
