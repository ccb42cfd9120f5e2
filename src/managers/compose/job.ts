import { defined } from '../../lib/defined.ts'
import type { Action } from '../../model/action.ts'
import type { Container, HostFacts } from '../../model/facts.ts'
import type { Service } from '../../model/fleet.ts'
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
import { comesFromFile, composeLabels, projectName, serviceKey } from './names.ts'
import { observeCompose } from './observe.ts'
import { imageOf, keyFileOutside, wantedDigest } from './project.ts'
import { keepsFailing, nameOfContainer, seenContainer, seenFile } from './seen.ts'

/** One action, and the facts about its service. */
export interface Job {
  readonly action: Action
  readonly input: RenderInput
  readonly docker: string
  readonly target: ComposeTarget
  readonly ownershipLabel: string
  /** Nothing else has the name of the container. */
  readonly ours: Check
  /** For a service in a user's own file. */
  readonly ofFile?: checks.FileContainer
  /** SHA-256 of the file on disk; null: none. */
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
  const { service, settings } = input
  const docker = dockerOf(facts)
  const name = nameOfContainer(input, facts)
  const target = targetOf(action, input, name)
  const { only } = target
  const fact = seenContainer(service, facts)
  const observed = fact.known ? fact.value : null
  const container =
    observed !== null && isStoppedBefore(action, observed) ? { ...observed, state: 'exited' as const, pid: 0 } : observed
  const ownershipLabel = ownershipLabelOf(settings.org, service.name)
  const guards = guardsOf(action, docker, target.name, observed)
  const ofFile = only === undefined ? undefined : { docker, name, ownershipLabel, origin: originIn(service, observed) }
  const ours = ofFile === undefined ? checks.nameIsOurs(docker, name, ownershipLabel) : checks.nameIsOfFile(ofFile)
  return {
    action,
    input,
    docker,
    target,
    ownershipLabel,
    container,
    facts,
    guards,
    ours,
    ...defined({ ofFile }),
    before: only === undefined ? (action.relies_on.definition_digest ?? null) : digestOnDisk(service, facts),
    key: keyBefore(keyFileOutside(input), input, facts),
    prechecks: [
      ...prechecksOf(action, docker),
      ...definitionChecks(action, input, facts),
      ...modelUnchanged(action, service, facts, 'linux'),
      ours,
      ...guards,
    ],
  }
}

function targetOf(action: Action, { service, layout }: RenderInput, name: string): ComposeTarget {
  const ends = action.kind === 'remove' || (action.kind === 'stop' && action.temporary === undefined)
  return {
    name,
    project: projectName(service),
    file: definitionFile(layout.root, service),
    ...defined({ only: service.file === undefined ? undefined : serviceKey(service), pulls: action.pulls }),
    image: ends ? '' : imageOf(service),
    grace: service.stopTimeoutS,
  }
}

function isStoppedBefore({ relies_on }: Action, container: Container): boolean {
  return relies_on.process === null && (container.state === 'running' || container.state === 'paused') && isSettled(container)
}

function prechecksOf({ relies_on: { boot_id } }: Action, docker: string): readonly Check[] {
  return [...(boot_id === undefined ? [] : [sameBoot(boot_id)]), checks.engineAnswers(docker)]
}

/**
 * Of a user's own file the plan relies on its part, and the host compares the whole file with what was observed. An action of the same plan may
 * have written the part before this one.
 */
function definitionChecks({ relies_on, starts }: Action, input: RenderInput, facts: HostFacts): readonly Check[] {
  const { service, layout } = input
  const file = definitionFile(layout.root, service)
  const { definition_digest: digest } = relies_on
  if (digest === undefined) return []
  if (service.file === undefined) return [definitionUnchanged(file, digest)]
  const state = observeCompose(service, facts, input.settings.org)
  const isWritten = starts && state.known && state.value.definitionDigest !== digest
  return [isWritten ? checks.definitionIs(file, wantedDigest(input)) : definitionUnchanged(file, digestOnDisk(service, facts))]
}

function digestOnDisk(service: Service, facts: HostFacts): string | null {
  const seen = seenFile(service, facts)
  return seen.known ? (seen.value?.digest ?? null) : null
}

/** As compose labels the container; a missing one as it will label it. */
function originIn(service: Service, container: Container | null): string {
  const { project, service: key, files } = composeLabels
  const isOfFile = container !== null && comesFromFile(container, service)
  const expected = [projectName(service), serviceKey(service), service.file ?? '']
  return (isOfFile ? [project, key, files].map((label) => container.labels[label] ?? '') : expected).join(' ')
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
