import { assertNever } from '../../errors/assert-never.ts'
import { InternalError } from '../../errors/converge-error.ts'
import type { Action } from '../../model/action.ts'
import type { Container, HostFacts } from '../../model/facts.ts'
import type { Check, PutStep, Step, StepGroup } from '../../model/step.ts'
import { seenKeyFile } from '../key-file.ts'
import { definitionUnchanged, portFree, sameBoot } from '../linux-checks.ts'
import type { Rendered, RenderInput } from '../manager.ts'
import { markOf } from '../mark.ts'
import { deletePrevious, keepPrevious, restorePrevious } from '../previous-copy.ts'
import { putFiles } from '../put-files.ts'
import * as acts from './acts.ts'
import * as checks from './checks.ts'
import { definitionFile, renderCompose } from './definition.ts'
import { dockerOf, type Engine, engineOf } from './engine.ts'
import { imageOf, keyFileOutside, projectName, wantedDigest } from './project.ts'
import { isUp, seenContainer } from './seen.ts'

/** What one action sends to a host with compose. */
export function compileCompose(action: Action, input: RenderInput, facts: HostFacts): StepGroup {
  const job = jobOf(action, input, facts)
  const group = { action: action.id, service: action.service }
  switch (action.kind) {
    case 'install':
    case 'update':
      return { ...group, ...write(job) }
    case 'start':
      return { ...group, ...start(job) }
    case 'restart':
      return { ...group, ...restart(job) }
    case 'stop':
      return { ...group, ...stop(job) }
    case 'remove':
      return { ...group, ...remove(job) }
    case 'noop':
    case 'download':
    case 'host-setting':
      throw new InternalError(`compose has nothing to do for ${action.id}`)
    default:
      return assertNever(action.kind)
  }
}

type Plan = Omit<StepGroup, 'action' | 'service'>

interface Job {
  readonly action: Action
  readonly input: RenderInput
  readonly docker: string
  readonly place: acts.Place
  readonly mark: string
  /** SHA-256 of the definition on disk; null: none. */
  readonly before: string | null
  readonly container: Container | null
  /** Key files of ours that are there. */
  readonly hasKeyFile: boolean
  readonly prechecks: readonly Check[]
  /** Tested again at the moment something is started or ended. */
  readonly guards: readonly Check[]
  readonly facts: HostFacts
}

function jobOf(action: Action, input: RenderInput, facts: HostFacts): Job {
  const { service, layout, settings } = input
  const docker = dockerOf(facts)
  const file = definitionFile(layout.root, service.name)
  const image = action.kind === 'remove' || action.kind === 'stop' ? '' : imageOf(service)
  const place = { name: service.name, project: projectName(service), file, image, grace: service.stopTimeoutS }
  const seen = seenContainer(service, facts)
  const container = seen.known ? seen.value : null
  const keyFile = seenKeyFile(service, facts)
  const mark = markOf(settings.org, service.name)
  const guards = guardsOf(action, docker, place.name, container)
  return {
    action,
    input,
    docker,
    place,
    mark,
    container,
    facts,
    guards,
    before: action.relies_on.definition_digest ?? null,
    hasKeyFile: keyFile.known && keyFile.value !== null,
    prechecks: [...prechecksOf(action, docker, file), checks.nameIsOurs(docker, place.name, mark), ...guards],
  }
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

/** One that crashes again and again is up and down by turns, and compose would leave it at that. */
function isSettled({ state }: Container): boolean {
  return state !== 'restarting' && state !== 'dead'
}

function write(job: Job): Plan {
  const { input, docker, place, container, guards, action } = job
  const engine = engineOf(job.facts)
  const rendered = renderCompose(input)
  const definition = wantedDigest(input)
  const untouched = !action.interrupts && container !== null && isUp(container)
  const kept: readonly Step[] = job.before === null ? [] : [keepPrevious(paths(rendered), job.before)]
  const definitionGuard = job.before === null ? [definitionUnchanged(place.file, null)] : []
  const files = putFiles(rendered, validation(engine, place), definitionGuard)
  const common = { precheck: job.prechecks, undo: wayBack(job, engine, rendered) }
  if (untouched) return { ...common, steps: [...kept, ...files], postcheck: [checks.definitionIs(place.file, definition)] }
  if (!action.starts) {
    const steps = [...kept, ...files, acts.fetchImage(engine, place), acts.create(engine, place, guards)]
    return { ...common, steps, postcheck: [checks.containerCreated(docker, place.name, definition)] }
  }
  const run = container === null ? [acts.bringUp(engine, place, guards)] : acts.replace(engine, place, guards)
  const steps = [...kept, ...files, acts.fetchImage(engine, place), ...run]
  return { ...common, steps, postcheck: [checks.containerStaysUp(docker, place.name, definition)] }
}

/** Nothing is started again where a Kind B was ended: its hour of warming is lost already. */
function wayBack(job: Job, engine: Engine, rendered: Rendered): readonly Step[] {
  const { container, place, before, docker, mark, action, input } = job
  const up = container !== null && isUp(container)
  if (up && action.interrupts && input.service.kind === 'B') return []
  if (before !== null) {
    const restored = restorePrevious(paths(rendered), before)
    if (!up) return [acts.takeDownOurs(docker, place, mark), restored]
    return action.interrupts ? [restored, acts.bringBack(engine, place, container)] : [restored]
  }
  const files = [rendered.definition, ...(rendered.keyFile === undefined ? [] : [rendered.keyFile])]
  const written = files.map(({ path }) => ({ do: 'delete', label: `delete ${path}`, guards: [], path }) as const)
  return up ? written : [acts.takeDownOurs(docker, place, mark), ...written]
}

function start(job: Job): Plan {
  const { input, docker, place, guards, container } = job
  const engine = engineOf(job.facts)
  const stuck = container !== null && !isSettled(container)
  const run = stuck ? acts.replace(engine, place, guards) : [acts.bringUp(engine, place, guards)]
  return {
    precheck: job.prechecks,
    steps: [acts.fetchImage(engine, place), ...run],
    postcheck: [checks.containerStaysUp(docker, place.name, wantedDigest(input))],
    undo: [acts.stopContainer(docker, place, [])],
  }
}

function restart(job: Job): Plan {
  const { input, docker, place, guards } = job
  const engine = engineOf(job.facts)
  return {
    precheck: job.prechecks,
    steps: [acts.fetchImage(engine, place), ...acts.replace(engine, place, guards)],
    postcheck: [checks.containerStaysUp(docker, place.name, wantedDigest(input))],
    undo: [],
  }
}

function stop({ docker, place, guards, prechecks, input }: Job): Plan {
  return {
    precheck: prechecks,
    steps: [acts.stopContainer(docker, place, guards)],
    postcheck: [checks.containerStopped(docker, place.name)],
    undo: input.service.kind === 'A' ? [acts.startContainer(docker, place)] : [],
  }
}

/** What converge made, and nothing else: models, images and whatever else lies in the folder stay. */
function remove({ docker, place, guards, prechecks, mark, hasKeyFile, input }: Job): Plan {
  const key = keyFileOutside(input)
  const keyFiles: readonly Step[] = hasKeyFile ? [deletion(key), deletePrevious(key)] : []
  return {
    precheck: prechecks,
    steps: [
      acts.takeDown(docker, place, guards),
      acts.removeNetwork(docker, place),
      deletion(place.file),
      deletePrevious(place.file),
      ...keyFiles,
      acts.removeFolder(place.file.slice(0, place.file.lastIndexOf('/'))),
    ],
    postcheck: [checks.containerGone(docker, place.name, mark)],
    undo: [],
  }
}

function deletion(path: string): Step {
  return { do: 'delete', label: `delete ${path}`, guards: [], path }
}

function paths({ definition, keyFile }: Rendered): readonly [string, ...string[]] {
  return keyFile === undefined ? [definition.path] : [definition.path, keyFile.path]
}

/** Asks the host's own compose; relative paths in it would count from the same folder. */
function validation({ compose }: Engine, { project }: acts.Place): NonNullable<PutStep['validate']> {
  return {
    script: `file=$1 project=$2
shift 2
"$@" -p "$project" -f "$file" config -q`,
    args: [project, ...compose],
  }
}
