import { InternalError } from '../../errors/converge-error.ts'
import { defined } from '../../lib/defined.ts'
import type { Action, EndedServer } from '../../model/action.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { PutStep, Step, StepGroup } from '../../model/step.ts'
import { restartsCheaply } from '../../servers/traits.ts'
import { compileAction, type EndingServer, type GroupBody } from '../compile-action.ts'
import { endProcess } from '../end-process.ts'
import { forgetUnderServer } from '../held-key.ts'
import { definitionUnchanged, fileGone, portFree, processUnchanged } from '../linux-checks.ts'
import type { Rendered, RenderInput } from '../manager.ts'
import { ownershipLines } from '../ownership-label.ts'
import { forgetCopies } from '../previous-copy.ts'
import { tidyUp } from '../tidying.ts'
import { unmark } from '../unmark.ts'
import { deletion, dropKey, dropKeyOfStop, rehearseDefinition, writeFiles } from '../write-files.ts'
import * as acts from './acts.ts'
import type { FileContainer } from './checks.ts'
import * as checks from './checks.ts'
import { editOf, placeOfFile, renderCompose } from './definition.ts'
import { type Engine, engineOf } from './engine.ts'
import { isSettled, type Job, jobOf } from './job.ts'
import { lookAtImage } from './look-at-image.ts'
import { definitionLabel, restartPolicy, wantedDigest } from './project.ts'
import { rollbackOfRestart, rollbackSteps } from './rollback.ts'
import { compareRunningCompose } from './running.ts'
import { isUp } from './seen.ts'
import { editWithoutBlock, spliced } from './shared-file.ts'
import { beforeSwitch, dropNames, imageSwitchOf } from './switch-image.ts'

/** The steps of one action under compose. */
export function compileCompose(action: Action, input: RenderInput, facts: HostFacts): StepGroup {
  return compileAction(
    action,
    { write, tidy, start, restart, stop, remove, end, unmark: unmarkFile },
    jobOf(action, input, facts),
  )
}

function write(job: Job): GroupBody {
  const { input, docker, target, container, guards, action } = job
  const engine = engineOf(job.facts)
  const { rendered, validate } = asSent(job, engine)
  const definition = wantedDigest(input)
  const untouched = !action.interrupts && container !== null && isUp(container)
  const filesBefore = { digest: target.only === undefined ? action.relies_on.definition_digest : job.before, key: job.key }
  const written = writeFiles(rendered, validate, filesBefore)
  const common = {
    precheck: job.prechecks,
    undo: rollbackSteps(job, engine, rendered),
    cleanup: [forgetCopies(target.file, job.key.path)],
  }
  const switched = action.interrupts ? imageSwitchOf(job) : undefined
  // A container that stays may still mount the key file of its previous definition.
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
  const looked = [acts.fetchImage(engine, target), ...lookAtImage(job), ...beforeSwitch(job, switched)]
  const steps = [...written, ...looked, ...run, ...dropKey(job.key)]
  const cleanup = [...common.cleanup, ...dropNames(job, switched)]
  return { ...common, steps, postcheck: [checks.containerStaysUp(docker, target.name, definition)], cleanup }
}

/** Of a user's own file only the lines of the service are sent. A rule has refused what cannot be written. */
function asSent({ action, input, target }: Job, engine: Engine): SentFiles {
  const rendered = renderCompose(input)
  const validate = validation(engine, target)
  if (input.service.file === undefined) return { rendered, validate }
  const { fault, splice } = editOf(input)
  if (fault !== undefined) throw new InternalError(`${action.id} was planned, and ${target.file} cannot be written: ${fault}`)
  if (splice === undefined) return { rendered, validate }
  const definition = { ...rendered.definition, content: [splice.text] }
  return { rendered: { ...rendered, definition }, validate: spliced(target.file, splice, validate) }
}

interface SentFiles {
  readonly rendered: Rendered
  readonly validate: NonNullable<PutStep['validate']>
}

function tidy({ target, key, prechecks }: Job): GroupBody {
  return tidyUp(target.file, key, prechecks)
}

/** Old engines, and podman, cannot stop a paused container. */
function replaced({ container, docker, target, guards, ours }: Job, engine: Engine): readonly Step[] {
  const isPaused = container?.state === 'paused'
  const first = isPaused ? [acts.unpause(docker, target, [ours, ...guards])] : []
  return [...first, ...acts.replace(engine, target, guards)]
}

/** Resumes the container without recreating it. Has no rollback: ending it would lose its warm cache. */
function goOn({ docker, target, guards, prechecks, key, container, input }: Job): GroupBody {
  // A container made from another definition may still mount that definition's key file.
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
  // Compose does not recreate a container of the same definition, even if its restart policy was changed since.
  const stuck = container !== null && (container.restartPolicy !== restartPolicy || !isSettled(container))
  const run = stuck ? acts.replace(engine, target, guards) : [acts.bringUp(engine, target, guards)]
  return {
    precheck: job.prechecks,
    // From here on no container mounts the key file of the previous definition.
    steps: [acts.fetchImage(engine, target), ...run, ...dropKey(job.key)],
    postcheck: [checks.containerStaysUp(docker, target.name, wantedDigest(input))],
    undo: [acts.stopContainer(docker, target, [job.ours])],
    cleanup: [forgetCopies(target.file, job.key.path)],
  }
}

function restart(job: Job): GroupBody {
  const { input, docker, target } = job
  const engine = engineOf(job.facts)
  const switched = imageSwitchOf(job)
  const looked = [acts.fetchImage(engine, target), ...lookAtImage(job), ...beforeSwitch(job, switched)]
  return {
    precheck: job.prechecks,
    steps: [...looked, ...replaced(job, engine), ...dropKey(job.key)],
    postcheck: [checks.containerStaysUp(docker, target.name, wantedDigest(input))],
    undo: rollbackOfRestart(job, engine, switched),
    cleanup: [forgetCopies(target.file, job.key.path), ...dropNames(job, switched)],
  }
}

function stop(job: Job): GroupBody {
  const { docker, target, guards, prechecks, input, container, key, action } = job
  const ran = container !== null && isUp(container) && isSettled(container)
  const returns = action.temporary !== undefined
  const ours = [job.ours]
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

/** Checks while the old server still runs whether the new one could be started. */
function gate(job: Job): readonly Step[] {
  const { facts, target } = job
  const engine = engineOf(facts)
  const { rendered, validate } = asSent(job, engine)
  const rehearsed = rehearseDefinition(rendered, validate)
  return [rehearsed, acts.fetchImage(engine, target), ...lookAtImage(job)]
}

/** Removes only what converge created: models, images and other files in the folder stay. */
function remove(job: Job): GroupBody {
  return job.ofFile === undefined ? removeFile(job) : removePart(job, job.ofFile)
}

/**
 * Of a user's own file only the service goes, with its container: the other services, the network and the file stay. Whether the file may be written
 * is tried first: another service may depend on this one.
 */
function removePart(
  { action, input, facts, docker, target, guards, prechecks, key, before }: Job,
  container: FileContainer,
): GroupBody {
  const splice = editWithoutBlock(input)
  if (splice !== undefined && 'why' in splice)
    throw new InternalError(`${action.id} was planned, and ${target.file} cannot be written: ${splice.why}`)
  const place = placeOfFile(input)
  const validate =
    facts.containers.known && facts.containers.value.engine?.compose.known === true
      ? validation(engineOf(facts), target)
      : { script: ':', args: [] }
  const put = {
    do: 'put' as const,
    guards: [definitionUnchanged(target.file, before)],
    ...place,
    folderMode: 0o755,
    validate: spliced(target.file, splice, validate),
  }
  const label = `remove ${target.only ?? ''} from ${target.file}`
  const puts = splice === undefined ? [] : ([{ ...put, content: [splice.text], label }] as const)
  return {
    precheck: prechecks,
    steps: [
      ...puts.map((one) => ({ ...one, label: `validate ${target.file} without ${target.only ?? ''}`, rehearsal: true as const })),
      acts.takeDown(docker, target, guards),
      ...puts,
      ...(key.was === 'there' ? [deletion(key.path)] : []),
      forgetCopies(target.file, key.path),
    ],
    postcheck: [checks.fileContainerGone(container)],
    undo: [],
  }
}

function removeFile({ docker, target, guards, prechecks, ownershipLabel, key }: Job): GroupBody {
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

/** A container of `docker run` is stopped, and stays; a process without one is ended. */
function end({ docker, target, input }: Job, ended: EndedServer): EndingServer {
  const { container } = ended
  const unchanged = [processUnchanged(ended)]
  const step =
    container === undefined
      ? endProcess(ended, target.grace, unchanged)
      : { ...acts.stopOther(docker, { container, grace: target.grace }), guards: unchanged }
  return { step, portFree: portFree(input.service.port) }
}

/** The labels of its container stay until it is next created. */
function unmarkFile({ target, before, input }: Job): readonly Step[] {
  return unmark(
    target.file,
    before,
    ownershipLines(input).map((line) => `# ${line}`),
  )
}

/** Validates with the host's own compose; relative paths resolve from the same folder. */
function validation({ compose }: Engine, { project }: acts.ComposeTarget): NonNullable<PutStep['validate']> {
  return {
    script: `file=$1 project=$2
shift 2
"$@" -p "$project" -f "$file" config -q`,
    args: [project, ...compose],
  }
}
