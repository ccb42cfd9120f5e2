import type { Action } from '../../model/action.ts'
import type { Container, HostFacts } from '../../model/facts.ts'
import type { Check } from '../../model/step.ts'
import { type KeyBefore, keyBefore } from '../key-file.ts'
import { definitionUnchanged, portFree, sameBoot } from '../linux-checks.ts'
import type { RenderInput } from '../manager.ts'
import { modelUnchanged } from '../model-unchanged.ts'
import { ownershipLabelOf } from '../ownership-label.ts'
import type { ComposeTarget } from './acts.ts'
import * as checks from './checks.ts'
import { definitionFile } from './definition.ts'
import { dockerOf } from './engine.ts'
import { imageOf, keyFileOutside, projectName } from './project.ts'
import { keepsFailing, seenContainer } from './seen.ts'

/** One action, and the facts about its service. */
export interface Job {
  readonly action: Action
  readonly input: RenderInput
  readonly docker: string
  readonly target: ComposeTarget
  readonly ownershipLabel: string
  /** SHA-256 of the definition on disk; null: none. */
  readonly before: string | null
  /** As this action finds it: stopped, if a stop of the same plan precedes it. */
  readonly container: Container | null
  readonly key: KeyBefore
  readonly prechecks: readonly Check[]
  /** Checked again right before something is started or stopped. */
  readonly guards: readonly Check[]
  readonly facts: HostFacts
}

export function jobOf(action: Action, input: RenderInput, facts: HostFacts): Job {
  const { service, layout, settings } = input
  const docker = dockerOf(facts)
  const file = definitionFile(layout.root, service.name)
  const ends = action.kind === 'remove' || (action.kind === 'stop' && action.temporary === undefined)
  const image = ends ? '' : imageOf(service)
  const target = { name: service.name, project: projectName(service), file, image, grace: service.stopTimeoutS }
  const fact = seenContainer(service, facts)
  const observed = fact.known ? fact.value : null
  const container =
    observed !== null && isStoppedBefore(action, observed) ? { ...observed, state: 'exited' as const, pid: 0 } : observed
  const ownershipLabel = ownershipLabelOf(settings.org, service.name)
  const guards = guardsOf(action, docker, target.name, observed)
  return {
    action,
    input,
    docker,
    target,
    ownershipLabel,
    container,
    facts,
    guards,
    before: action.relies_on.definition_digest ?? null,
    key: keyBefore(keyFileOutside(input), input, facts),
    prechecks: [
      ...prechecksOf(action, docker, file),
      ...modelUnchanged(action, service, facts, 'linux'),
      checks.nameIsOurs(docker, target.name, ownershipLabel),
      ...guards,
    ],
  }
}

function isStoppedBefore({ relies_on }: Action, container: Container): boolean {
  return relies_on.process === null && (container.state === 'running' || container.state === 'paused') && isSettled(container)
}

function prechecksOf({ relies_on }: Action, docker: string, file: string): readonly Check[] {
  const { boot_id, definition_digest } = relies_on
  return [
    ...(boot_id === undefined ? [] : [sameBoot(boot_id)]),
    checks.engineAnswers(docker),
    ...(definition_digest === undefined ? [] : [definitionUnchanged(file, definition_digest)]),
  ]
}

function guardsOf({ relies_on }: Action, docker: string, name: string, container: Container | null): readonly Check[] {
  const { process, free_port } = relies_on
  const runs = process !== undefined && process !== null && container !== null
  const flickers = container !== null && !isSettled(container)
  return [
    ...(process === null && !flickers ? [checks.containerStopped(docker, name)] : []),
    ...(runs ? [checks.containerUnchanged(docker, container)] : []),
    ...(free_port === undefined ? [] : [portFree(free_port)]),
  ]
}

/** A crash-looping container is alternately up and down, and compose would not restart it. */
export function isSettled(container: Container): boolean {
  const { state } = container
  return state !== 'restarting' && state !== 'dead' && !(state === 'running' && keepsFailing(container))
}
