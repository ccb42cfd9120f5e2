import type { Action } from '../../model/action.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { PutStep, Step, StepGroup } from '../../model/step.ts'
import { compileAction, type GroupBody } from '../compile-action.ts'
import { fileGone, portFree } from '../linux-checks.ts'
import type { RenderInput } from '../manager.ts'
import { forgetCopies } from '../previous-copy.ts'
import { tidyUp } from '../tidying.ts'
import { deletion, dropKey, rehearseDefinition, writeFiles } from '../write-files.ts'
import * as acts from './acts.ts'
import * as checks from './checks.ts'
import { renderCompose } from './definition.ts'
import { type Engine, engineOf } from './engine.ts'
import { isSettled, type Job, jobOf } from './job.ts'
import { wantedDigest } from './project.ts'
import { isUp } from './seen.ts'
import { wayBack } from './way-back.ts'

/** What one action sends to a host with compose. */
export function compileCompose(action: Action, input: RenderInput, facts: HostFacts): StepGroup {
  return compileAction(action, { write, tidy, start, restart, stop, remove }, jobOf(action, input, facts))
}

function write(job: Job): GroupBody {
  const { input, docker, place, container, guards, action } = job
  const engine = engineOf(job.facts)
  const rendered = renderCompose(input)
  const definition = wantedDigest(input)
  const untouched = !action.interrupts && container !== null && isUp(container)
  const filesBefore = { digest: action.relies_on.definition_digest, key: job.key }
  const written = writeFiles(rendered, validation(engine, place), filesBefore)
  const common = {
    precheck: job.prechecks,
    undo: wayBack(job, engine, rendered),
    cleanup: [forgetCopies(place.file, job.key.path)],
  }
  // A container that stays may mount the key file of the definition before.
  if (untouched) return { ...common, steps: written, postcheck: [checks.definitionIs(place.file, definition)] }
  if (!action.starts) {
    const steps = [...written, acts.fetchImage(engine, place), acts.create(engine, place, guards), ...dropKey(job.key)]
    return { ...common, steps, postcheck: [checks.containerCreated(docker, place.name, definition)] }
  }
  const run = container === null ? [acts.bringUp(engine, place, guards)] : acts.replace(engine, place, guards)
  const steps = [...written, acts.fetchImage(engine, place), ...run, ...dropKey(job.key)]
  return { ...common, steps, postcheck: [checks.containerStaysUp(docker, place.name, definition)] }
}

function tidy({ place, key, prechecks }: Job): GroupBody {
  return tidyUp(place.file, key, prechecks)
}

function start(job: Job): GroupBody {
  const { input, docker, place, guards, container } = job
  const engine = engineOf(job.facts)
  const stuck = container !== null && !isSettled(container)
  const up = stuck ? acts.replace(engine, place, guards) : [acts.bringUp(engine, place, guards)]
  const ours = checks.nameIsOurs(docker, place.name, job.mark)
  const run = container?.state === 'paused' ? [acts.unpause(docker, place, [ours]), ...up] : up
  return {
    precheck: job.prechecks,
    // Only now does nothing mount the key file any more that the definition before mounted.
    steps: [acts.fetchImage(engine, place), ...run, ...dropKey(job.key)],
    postcheck: [checks.containerStaysUp(docker, place.name, wantedDigest(input))],
    // One that was let go on holds what it had warmed: to end it would be no way back.
    undo: container?.state === 'paused' ? [] : [acts.stopContainer(docker, place, [ours])],
    cleanup: [forgetCopies(place.file, job.key.path)],
  }
}

function restart(job: Job): GroupBody {
  const { input, docker, place, guards } = job
  const engine = engineOf(job.facts)
  return {
    precheck: job.prechecks,
    steps: [acts.fetchImage(engine, place), ...acts.replace(engine, place, guards), ...dropKey(job.key)],
    postcheck: [checks.containerStaysUp(docker, place.name, wantedDigest(input))],
    undo: [],
    cleanup: [forgetCopies(place.file, job.key.path)],
  }
}

function stop(job: Job): GroupBody {
  const { docker, place, guards, prechecks, input, container, mark, key, action } = job
  const ran = container !== null && isUp(container) && isSettled(container)
  const returns = action.temporary !== undefined
  return {
    precheck: prechecks,
    steps: [...(returns ? gate(job) : []), acts.stopContainer(docker, place, guards)],
    postcheck: [checks.containerStopped(docker, place.name)],
    undo:
      (input.service.kind === 'A' || returns) && ran
        ? [acts.startContainer(docker, place, [checks.nameIsOurs(docker, place.name, mark)])]
        : [],
    ...(action.temporary === undefined ? {} : { room: action.temporary.ports.map(portFree) }),
    cleanup: [forgetCopies(place.file, key.path)],
  }
}

/** What would keep it from being started again is found out while the old server still runs. */
function gate({ facts, input, place }: Job): readonly Step[] {
  const engine = engineOf(facts)
  return [rehearseDefinition(renderCompose(input), validation(engine, place)), acts.fetchImage(engine, place)]
}

/** What converge made, and nothing else: models, images and whatever else lies in the folder stay. */
function remove({ docker, place, guards, prechecks, mark, key }: Job): GroupBody {
  const keyFile = key.was === 'there' ? [deletion(key.path)] : []
  return {
    precheck: prechecks,
    steps: [
      acts.takeDown(docker, place, guards),
      acts.removeNetwork(docker, place),
      deletion(place.file),
      ...keyFile,
      forgetCopies(place.file, key.path),
      acts.removeFolder(place.file.slice(0, place.file.lastIndexOf('/'))),
    ],
    postcheck: [checks.containerGone(docker, place.name, mark), fileGone(place.file)],
    undo: [],
  }
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
