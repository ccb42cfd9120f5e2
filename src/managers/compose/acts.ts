import type { Container } from '../../model/facts.ts'
import type { Check, RunStep } from '../../model/step.ts'
import type { Engine } from './engine.ts'
import { lookAt } from './look-at.ts'
import { ownershipLabelKey } from './project.ts'

/** One service under compose. */
export interface ComposeTarget {
  readonly name: string
  readonly project: string
  readonly file: string
  /** The key of the service in a user's own file, whose other services are left alone. Absent: the file has this service only. */
  readonly only?: string
  readonly image: string
  /** `repository@sha256:…`: the image that gets the name `image`. Absent: whatever has it. */
  readonly pulls?: string
  /** Seconds a server gets to stop on its own. */
  readonly grace: number
}

const labelOnly = `{{index .Config.Labels "${ownershipLabelKey}"}}`
/**
 * `halt DOCKER GRACE NAME`. Docker since 17.07 sends a paused container its signal before it unpauses it, so that it serves no further
 * request; older versions and podman cannot stop a paused container, so it is unpaused first.
 */
const halt = `halt() {
  "$1" stop -t "$2" "$3" >/dev/null && return 0
  [ "$("$1" inspect --type container -f '{{.State.Paused}}' "$3")" = true ] || return 1
  "$1" unpause "$3" >/dev/null && "$1" stop -t "$2" "$3" >/dev/null
}
`
const stopAndRemove = `halt "$1" "$2" "$3" && "$1" rm "$3" >/dev/null`

const hourMs = 3_600_000
const minuteMs = 60_000

/** Runs before anything is stopped: a missing image must not cost the old server. */
export function fetchImage({ docker }: Engine, { image: name, pulls: image = name }: ComposeTarget): RunStep {
  return {
    do: 'run',
    label: `pull the image ${image} if it is missing`,
    prepares: true,
    guards: [],
    script: `"$1" image inspect "$2" >/dev/null 2>&1 || "$1" pull --quiet "$2"`,
    args: [docker, image],
    timeoutMs: hourMs,
  }
}

/** Starts the container, and recreates it only if it differs from its definition. */
export function bringUp(engine: Engine, target: ComposeTarget, guards: readonly Check[]): RunStep {
  return up(engine, target, guards, `start container ${target.name}`, '')
}

/** Replaces the old container and always restarts it. */
export function replace(engine: Engine, target: ComposeTarget, guards: readonly Check[]): readonly RunStep[] {
  if (engine.replaces) return [up(engine, target, guards, `replace container ${target.name}`, ' --force-recreate')]
  return [takeDown(engine.docker, target, guards), up(engine, target, [], `start container ${target.name} again`, '')]
}

/** Created but not started: the engine does not start it at the next boot either. */
export function create({ compose }: Engine, target: ComposeTarget, guards: readonly Check[]): RunStep {
  return {
    do: 'run',
    label: `create container ${target.name} without starting it`,
    server: true,
    guards,
    ...(target.only === undefined
      ? {
          script: `project=$1 file=$2
shift 2
"$@" -p "$project" -f "$file" up --no-start --no-build`,
          args: [target.project, target.file, ...compose],
        }
      : {
          script: `project=$1 file=$2 only=$3
shift 3
"$@" -p "$project" -f "$file" up --no-start --no-build --no-deps "$only"`,
          args: [target.project, target.file, target.only, ...compose],
        }),
    timeoutMs: 5 * minuteMs,
  }
}

export function stopContainer(docker: string, { name, grace }: ComposeTarget, guards: readonly Check[]): RunStep {
  return {
    do: 'run',
    label: `stop container ${name}`,
    server: true,
    guards,
    script: `${halt}halt "$1" "$2" "$3"`,
    args: [docker, String(grace), name],
    timeoutMs: grace * 1000 + minuteMs,
  }
}

/** A container that no compose project has: it stays, stopped, and the engine does not start it at boot. */
export function stopOther(docker: string, { container, grace }: { readonly container: string; readonly grace: number }): RunStep {
  return {
    do: 'run',
    label: `stop container ${container.slice(0, 12)}, which no compose project has`,
    server: true,
    guards: [],
    script: `"$1" stop -t "$3" "$2" >/dev/null && "$1" update --restart no "$2" >/dev/null`,
    args: [docker, container, String(grace)],
    timeoutMs: grace * 1000 + minuteMs,
  }
}

/** With the policy `always`, the engine starts a container at boot even after it was stopped. */
export function setRestartPolicy(docker: string, { name }: ComposeTarget, policy: string, guards: readonly Check[]): RunStep {
  return {
    do: 'run',
    label: `set the restart policy of container ${name} to ${policy}`,
    guards,
    script: `"$1" update --restart "$3" "$2" >/dev/null`,
    args: [docker, name, policy],
    timeoutMs: minuteMs,
  }
}

/** Resumes a paused container with its warm cache. One that was already resumed is fine. */
export function unpause(docker: string, { name }: ComposeTarget, guards: readonly Check[]): RunStep {
  return {
    do: 'run',
    label: `unpause container ${name}`,
    server: true,
    guards,
    script: `now=$("$1" inspect --type container -f '{{.State.Paused}}' "$2") || exit 1
[ "$now" != true ] || "$1" unpause "$2" >/dev/null`,
    args: [docker, name],
    timeoutMs: minuteMs,
  }
}

export function startContainer(docker: string, { name }: ComposeTarget, guards: readonly Check[]): RunStep {
  return {
    do: 'run',
    label: `start container ${name} again`,
    server: true,
    guards,
    script: `"$1" start "$2" >/dev/null`,
    args: [docker, name],
    timeoutMs: minuteMs,
  }
}

/** Stops and removes the container; a missing one is fine. */
export function takeDown(docker: string, { name, grace }: ComposeTarget, guards: readonly Check[]): RunStep {
  return {
    do: 'run',
    label: `stop and remove container ${name}`,
    server: true,
    guards,
    script: `${lookAt}${halt}look_at "$1" '{{.Id}}' "$3" || exit 1
[ -n "$there" ] || exit 0
${stopAndRemove}`,
    args: [docker, String(grace), name],
    timeoutMs: grace * 1000 + minuteMs,
  }
}

/** Only a container with our ownership label: for the rollback, where it is unclear how far the action got. */
export function takeDownOurs(docker: string, target: ComposeTarget, ownershipLabel: string): RunStep {
  const { args, ...step } = takeDown(docker, target, [])
  const script = `${lookAt}${halt}look_at "$1" '${labelOnly}' "$3" || exit 1
[ -n "$there" ] && [ "$now" = "$4" ] || exit 0
${stopAndRemove}`
  return { ...step, script, args: [...args, ownershipLabel] }
}

/** The rollback where a container existed but did not run: stops that container, or removes one created in its place. */
export function takeDownNew(
  docker: string,
  target: ComposeTarget,
  ownershipLabel: string,
  before: Pick<Container, 'id'>,
): RunStep {
  const { timeoutMs } = takeDown(docker, target, [])
  return {
    do: 'run',
    label: `stop container ${target.name}, and remove one that was created in its place`,
    server: true,
    guards: [],
    script: `${lookAt}look_at "$1" '{{.Id}} ${labelOnly}' "$3" || exit 1
case $now in *" $4") ;; *) exit 0 ;; esac
"$1" stop -t "$2" "$3" >/dev/null || exit 1
case $now in "$5"*) ;; *) "$1" rm "$3" >/dev/null ;; esac`,
    args: [docker, String(target.grace), target.name, ownershipLabel, before.id],
    timeoutMs,
  }
}

/** Uses the restored definition; leaves an existing container alone. */
export function createIfGone(engine: Engine, target: ComposeTarget): RunStep {
  const { script, args, ...step } = create(engine, target, [])
  const gone = `${lookAt}look_at "$1" '{{.Id}}' "$2" || exit 1
[ -z "$there" ] || exit 0
shift 2
`
  return { ...step, script: gone + script, args: [engine.docker, target.name, ...args] }
}

/**
 * Compose creates a network for every project; one that something else uses stays. A missing network is `No such network: NAME` in docker up
 * to 20.10, `network NAME not found` since, and `network not found` in podman.
 */
export function removeNetwork(docker: string, { project }: ComposeTarget): RunStep {
  return {
    do: 'run',
    label: `remove the network of project ${project}`,
    guards: [],
    script: `said=$("$1" network inspect -f '@{{index .Labels "com.docker.compose.project"}}' "$2_default" 2>&1) || {
  case $said in *[Nn]'o such network'* | *"network $2_default not found"* | *'network not found'*) exit 0 ;; esac
  printf '%s\\n' "$said"
  exit 1
}
[ "$(printf '%s\\n' "$said" | sed -n 's/^@//p')" = "$2" ] || exit 0
said=$("$1" network rm "$2_default" 2>&1) && exit 0
"$1" network inspect "$2_default" >/dev/null || exit 1
printf '%s\\n' "$2_default stays: $said"`,
    args: [docker, project],
    timeoutMs: minuteMs,
  }
}

/** The rollback: starts the restored definition, unless the old container still runs untouched. */
export function bringBack(
  engine: Engine,
  target: ComposeTarget,
  ownershipLabel: string,
  before: Pick<Container, 'id' | 'startedAt'>,
): RunStep {
  const { only } = target
  return {
    do: 'run',
    label: `run container ${target.name} as before`,
    server: true,
    guards: [],
    script: `${lookAt}docker=$1 name=$2 id=$3 started=$4 grace=$5 project=$6 file=$7 label=$8
shift 8
${only === undefined ? '' : 'only=$1\nshift\n'}look_at "$docker" '{{.Id}} {{.State.StartedAt}} {{.State.Running}} ${labelOnly}' "$name" || exit 1
case $now in "$id"*" $started true "*) exit 0 ;; esac
if [ -n "$there" ]; then
  case $now in ${only === undefined ? '' : '"$id"* | '}*" true $label" | *" false $label") ;; *)
    echo "the container $name was not created by converge; it was left alone"
    exit 1 ;;
  esac
  "$docker" stop -t "$grace" "$name" >/dev/null && "$docker" rm "$name" >/dev/null || exit 1
fi
"$@" -p "$project" -f "$file" up -d --no-build${only === undefined ? '' : ' --no-deps "$only"'}`,
    args: [
      engine.docker,
      target.name,
      before.id,
      before.startedAt,
      String(target.grace),
      target.project,
      target.file,
      ownershipLabel,
      ...(only === undefined ? [] : [only]),
      ...engine.compose,
    ],
    timeoutMs: target.grace * 1000 + 5 * minuteMs,
  }
}

/** The folder of the definition, unless it contains other files. */
export function removeFolder(folder: string): RunStep {
  return {
    do: 'run',
    label: `remove the folder ${folder} if it is empty`,
    guards: [],
    script: `rmdir "$1" 2>/dev/null || :`,
    args: [folder],
    timeoutMs: minuteMs,
  }
}

function up(
  { compose }: Engine,
  { project, file, grace, only }: ComposeTarget,
  guards: readonly Check[],
  label: string,
  flag: '' | ' --force-recreate',
): RunStep {
  const [more, words] = only === undefined ? ['', ''] : [' only=$4', ' --no-deps "$only"']
  return {
    do: 'run',
    label,
    server: true,
    guards,
    script: `project=$1 file=$2 grace=$3${more}
shift ${only === undefined ? 3 : 4}
"$@" -p "$project" -f "$file" up -d --no-build${flag} -t "$grace"${words}`,
    args: [project, file, String(grace), ...(only === undefined ? [] : [only]), ...compose],
    timeoutMs: grace * 1000 + 5 * minuteMs,
  }
}
