import { defined } from '../../lib/defined.ts'
import type { Action } from '../../model/action.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { PutStep, Step, StepGroup } from '../../model/step.ts'
import { restartsCheaply } from '../../servers/traits.ts'
import { compileAction, type GroupBody } from '../compile-action.ts'
import { forgetUnderServer } from '../held-key.ts'
import { fileGone, portFree } from '../linux-checks.ts'
import type { RenderInput } from '../manager.ts'
import { forgetCopies } from '../previous-copy.ts'
import { tidyUp } from '../tidying.ts'
import { deletion, dropKey, dropKeyOfStop, rehearseDefinition, writeFiles } from '../write-files.ts'
import * as acts from './acts.ts'
import * as checks from './checks.ts'
import { renderCompose } from './definition.ts'
import { type Engine, engineOf } from './engine.ts'
import { isSettled, type Job, jobOf } from './job.ts'
import { lookAtImage } from './look-at-image.ts'
import { definitionLabel, restartPolicy, wantedDigest } from './project.ts'
import { rollbackSteps } from './rollback.ts'
import { compareRunningCompose } from './running.ts'
import { isUp } from './seen.ts'

/** What one action sends to a host with compose. */
export function compileCompose(action: Action, input: RenderInput, facts: HostFacts): StepGroup {
  return compileAction(action, { write, tidy, start, restart, stop, remove }, jobOf(action, input, facts))
}

function write(job: Job): GroupBody {
  const { input, docker, target, container, guards, action } = job
  const engine = engineOf(job.facts)
  const rendered = renderCompose(input)
  const definition = wantedDigest(input)
  const untouched = !action.interrupts && container !== null && isUp(container)
  const filesBefore = { digest: action.relies_on.definition_digest, key: job.key }
  const written = writeFiles(rendered, validation(engine, target), filesBefore)
  const common = {
    precheck: job.prechecks,
    undo: rollbackSteps(job, engine, rendered),
    cleanup: [forgetCopies(target.file, job.key.path)],
  }
  // A container that stays may mount the key file of the definition before.
  const mounts = untouched && container.labels[definitionLabel] !== definition
  const dropped = mounts ? [] : dropKey(job.key)
  if (untouched) {
    const cleanup = [forgetUnderServer(target.file, job.key, input.service, compareRunningCompose(input, job.facts))]
    return { ...common, steps: [...written, ...dropped], postcheck: [checks.definitionIs(target.file, definition)], cleanup }
  }
  if (!action.starts) {
    const steps = [...written, acts.fetchImage(engine, target), acts.create(engine, target, guards), ...dropKey(job.key)]
    return { ...common, steps, postcheck: [checks.containerCreated(docker, target.name, definition)] }
  }
  const run = container === null ? [acts.bringUp(engine, target, guards)] : replaced(job, engine)
  const looked = [acts.fetchImage(engine, target), ...lookAtImage(job)]
  const steps = [...written, ...looked, ...run, ...dropKey(job.key)]
  return { ...common, steps, postcheck: [checks.containerStaysUp(docker, target.name, definition)] }
}

function tidy({ target, key, prechecks }: Job): GroupBody {
  return tidyUp(target.file, key, prechecks)
}

/** Engines of old, and podman, stop no container that is paused. */
function replaced({ container, docker, target, guards, ownershipLabel }: Job, engine: Engine): readonly Step[] {
  const stands = container?.state === 'paused'
  const first = stands ? [acts.unpause(docker, target, [checks.nameIsOurs(docker, target.name, ownershipLabel), ...guards])] : []
  return [...first, ...acts.replace(engine, target, guards)]
}

/** As it is, made anew by nothing: to end it would be no rollback, because it holds what it had warmed. */
function goOn({ docker, target, guards, prechecks, key, container, input }: Job): GroupBody {
  // One that was made from another definition may mount the key file of that.
  const asWanted = container?.labels[definitionLabel] === wantedDigest(input)
  return {
    precheck: prechecks,
    steps: [acts.unpause(docker, target, guards), ...(asWanted ? dropKey(key) : [])],
    postcheck: [checks.containerRuns(docker, target.name)],
    undo: [],
    cleanup: [forgetCopies(target.file, key.path)],
  }
}

function start(job: Job): GroupBody {
  const { input, docker, target, guards, container } = job
  if (container?.state === 'paused') return goOn(job)
  const engine = engineOf(job.facts)
  // Compose leaves a container alone that was made from the same definition, although somebody changed its restart policy since.
  const stuck = container !== null && (container.restartPolicy !== restartPolicy || !isSettled(container))
  const run = stuck ? acts.replace(engine, target, guards) : [acts.bringUp(engine, target, guards)]
  return {
    precheck: job.prechecks,
    // Only now does nothing mount the key file any more that the definition before mounted.
    steps: [acts.fetchImage(engine, target), ...run, ...dropKey(job.key)],
    postcheck: [checks.containerStaysUp(docker, target.name, wantedDigest(input))],
    undo: [acts.stopContainer(docker, target, [checks.nameIsOurs(docker, target.name, job.ownershipLabel)])],
    cleanup: [forgetCopies(target.file, job.key.path)],
  }
}

function restart(job: Job): GroupBody {
  const { input, docker, target } = job
  const engine = engineOf(job.facts)
  return {
    precheck: job.prechecks,
    steps: [acts.fetchImage(engine, target), ...lookAtImage(job), ...replaced(job, engine), ...dropKey(job.key)],
    postcheck: [checks.containerStaysUp(docker, target.name, wantedDigest(input))],
    undo: [],
    cleanup: [forgetCopies(target.file, job.key.path)],
  }
}

function stop(job: Job): GroupBody {
  const { docker, target, guards, prechecks, input, container, ownershipLabel, key, action } = job
  const ran = container !== null && isUp(container) && isSettled(container)
  const returns = action.temporary !== undefined
  const ours = [checks.nameIsOurs(docker, target.name, ownershipLabel)]
  const goesOn = (restartsCheaply(input.service.kind) || returns) && ran
  const always = container?.restartPolicy === 'always' && !returns
  const setPolicy = (policy: string) => (always ? [acts.setRestartPolicy(docker, target, policy, ours)] : [])
  return {
    precheck: prechecks,
    steps: [...(returns ? gate(job) : []), acts.stopContainer(docker, target, guards), ...setPolicy(restartPolicy)],
    postcheck: [checks.containerStopped(docker, target.name)],
    undo: goesOn ? [acts.startContainer(docker, target, ours), ...setPolicy('always')] : [],
    ...defined({ room: action.temporary?.ports.map(portFree) }),
    cleanup: [...dropKeyOfStop(action, key), forgetCopies(target.file, key.path)],
  }
}

/** What would keep it from being started again is found out while the old server still runs. */
function gate(job: Job): readonly Step[] {
  const { facts, input, target } = job
  const engine = engineOf(facts)
  const rehearsed = rehearseDefinition(renderCompose(input), validation(engine, target))
  return [rehearsed, acts.fetchImage(engine, target), ...lookAtImage(job)]
}

/** What converge made, and nothing else: models, images and whatever else lies in the folder stay. */
function remove({ docker, target, guards, prechecks, ownershipLabel, key }: Job): GroupBody {
  const keyFile = key.was === 'there' ? [deletion(key.path)] : []
  return {
    precheck: prechecks,
    steps: [
      acts.takeDown(docker, target, guards),
      acts.removeNetwork(docker, target),
      deletion(target.file),
      ...keyFile,
      forgetCopies(target.file, key.path),
      acts.removeFolder(target.file.slice(0, target.file.lastIndexOf('/'))),
    ],
    postcheck: [checks.containerGone(docker, target.name, ownershipLabel), fileGone(target.file)],
    undo: [],
  }
}

/** Asks the host's own compose; relative paths in it would count from the same folder. */
function validation({ compose }: Engine, { project }: acts.ComposeTarget): NonNullable<PutStep['validate']> {
  return {
    script: `file=$1 project=$2
shift 2
"$@" -p "$project" -f "$file" config -q`,
    args: [project, ...compose],
  }
}
