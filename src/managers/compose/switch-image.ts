import { ownMember } from '../../lib/own-member.ts'
import type { RunStep, Step } from '../../model/step.ts'
import { restartsCheaply } from '../../servers/traits.ts'
import type { Job } from './job.ts'
import { isUp } from './seen.ts'

/** A running container whose image is not the one that its image's name means by the time it is replaced. */
export interface ImageSwitch {
  /** Id of the image that it was created from. */
  readonly runs: string
  /** `repository@sha256:…`, which gets the name; undefined: another one has it already. */
  readonly pulls: string | undefined
}

/** Undefined: the container, if there is one, is replaced by one of the same image, or by one of another name. */
export function imageSwitchOf({ action, container, facts, target }: Job): ImageSwitch | undefined {
  if (container === null || !isUp(container) || container.imageId === undefined || container.image !== target.image)
    return undefined
  const named = facts.containers.known ? ownMember(facts.containers.value.imageIds ?? {}, target.image) : undefined
  const { pulls } = action
  const { imageId: runs } = container
  return pulls === undefined && (named === undefined || named === runs) ? undefined : { runs, pulls }
}

/**
 * Before the container is replaced: what the rollback needs gets names of its own, because `docker image prune` removes an image that has none
 * once nothing runs from it. Then the new image gets the name that the definition has.
 */
export function beforeSwitch(job: Job, switched: ImageSwitch | undefined): readonly Step[] {
  if (switched === undefined) return []
  const { docker, target } = job
  const { runs, pulls } = switched
  const keep: RunStep = {
    do: 'run',
    label: `keep the image that ${target.name} runs until the new one is tested`,
    guards: [],
    script: `"$1" tag "$2" "$3" || exit 1
! "$1" image inspect "$4" >/dev/null 2>&1 || "$1" tag "$4" "$5"`,
    args: [docker, runs, keptName(job), target.image, formerName(job)],
    timeoutMs,
  }
  return [
    ...(isRolledBack(job) ? [keep] : []),
    ...(pulls === undefined ? [] : [tag(job, `name the pulled image ${target.image}`, pulls, target.image)]),
  ]
}

/**
 * The rollback around the steps that recreate the container, which is created by name: so the old image has the name meanwhile. Afterwards the name
 * means what it meant before; for another service of the host it may be the newer image.
 */
export function switchedBack(job: Job, switched: ImageSwitch | undefined, recreate: readonly Step[]): readonly Step[] {
  if (switched === undefined) return recreate
  const { docker, target } = job
  const former: RunStep = {
    do: 'run',
    label: `let ${target.image} name the image that it named before`,
    guards: [],
    script: `! "$1" image inspect "$2" >/dev/null 2>&1 || "$1" tag "$2" "$3"`,
    args: [docker, formerName(job), target.image],
    timeoutMs,
  }
  // Until that image was kept, nothing was renamed: the name may mean a newer one, which another service runs.
  const old: RunStep = {
    do: 'run',
    label: `name the previous image ${target.image} again`,
    guards: [],
    script: `! "$1" image inspect "$4" >/dev/null 2>&1 || "$1" tag "$2" "$3"`,
    args: [docker, switched.runs, target.image, keptName(job)],
    timeoutMs,
  }
  return [old, ...recreate, former, ...dropNames(job, switched)]
}

/** An image that has no other name and no digest keeps this one: without it, the engine would delete the image. */
export function dropNames(job: Job, switched: ImageSwitch | undefined): readonly RunStep[] {
  if (switched === undefined || !isRolledBack(job)) return []
  return [
    {
      do: 'run',
      label: `drop the names that kept the previous image of ${job.target.name}`,
      guards: [],
      script: `docker=$1
shift
for kept; do
  "$docker" image inspect "$kept" >/dev/null 2>&1 || continue
  names=$("$docker" image inspect -f '{{range .RepoTags}}{{.}} {{end}}{{range .RepoDigests}}{{.}} {{end}}' "$kept") || exit 1
  for name in $names; do
    case $name in "\${kept%:*}:"* | "\${kept%:*}@"*) continue ;; esac
    "$docker" rmi "$kept" >/dev/null || exit 1
    break
  done
done`,
      args: [job.docker, formerName(job), keptName(job)],
      timeoutMs,
    },
  ]
}

function isRolledBack({ input }: Job): boolean {
  return restartsCheaply(input.service.kind)
}

function keptName({ input }: Job): string {
  return `converge/previous:${input.service.name}`
}

function formerName({ input }: Job): string {
  return `converge/former:${input.service.name}`
}

function tag({ docker }: Job, label: string, image: string, name: string): RunStep {
  return { do: 'run', label, guards: [], script: `"$1" tag "$2" "$3"`, args: [docker, image, name], timeoutMs }
}

const timeoutMs = 60_000
