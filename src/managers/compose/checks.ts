import type { Container } from '../../model/facts.ts'
import type { Check } from '../../model/step.ts'
import { lookAt } from './look-at.ts'
import { composeLabels } from './names.ts'
import { definitionLabel, ownershipLabelKey } from './project.ts'

/** A list of one: for its version, the engine would start two programs. */
export function engineAnswers(docker: string): Check {
  return {
    label: 'the container engine answers',
    script: `"$1" ps --quiet --last 1`,
    args: [docker],
    answers: true,
  }
}

/** The same container, not restarted since: the action touches only what the plan observed. */
export function containerUnchanged(docker: string, { id, name, startedAt }: Container): Check {
  return {
    label: `container ${name} has not changed since the plan was made`,
    script: `${lookAt}look_at "$1" '{{.Id}} {{.State.StartedAt}}' "$2" || exit 1
case $now in "$3"*" $4") ;; *) echo "it is now \${now:-gone}"; exit 1 ;; esac`,
    args: [docker, name, id, startedAt],
  }
}

/** Another owner's container may use the name; converge must not remove it. */
export function nameIsOurs(docker: string, name: string, ownershipLabel: string): Check {
  return {
    label: `no other container is named ${name}`,
    script: `${lookAt}look_at "$1" '${labelOnly}' "$2" || exit 1
[ -z "$there" ] || [ "$now" = "$3" ] || { echo "there is one without the ownership label $3"; exit 1; }`,
    args: [docker, name, ownershipLabel],
  }
}

/** The container of a service in a user's own file, which a person may have started. */
export interface FileContainer {
  readonly docker: string
  readonly name: string
  readonly ownershipLabel: string
  /** What compose's labels say of it: project, service and files, with a space between them. */
  readonly origin: string
}

/** A container of that name is ours, or was created by compose for this very service of the user's own file. */
export function nameIsOfFile({ docker, name, ownershipLabel, origin }: FileContainer): Check {
  return {
    label: `no container of another service is named ${name}`,
    script: `${lookAt}look_at "$1" '${labelAndOrigin}' "$2" || exit 1
[ -n "$there" ] || exit 0
case $now in "$3 "* | *" $4") ;; *) echo "there is one that does not come from $4"; exit 1 ;; esac`,
    args: [docker, name, ownershipLabel, origin],
  }
}

/** The end of a removal of a service in a user's own file. */
export function fileContainerGone({ docker, name, ownershipLabel, origin }: FileContainer): Check {
  return {
    label: `container ${name} does not exist`,
    script: `${lookAt}look_at "$1" '${labelAndOrigin}' "$2" || exit 1
case $now in "$3 "* | *" $4") echo "it still exists"; exit 1 ;; esac`,
    args: [docker, name, ownershipLabel, origin],
  }
}

/** It does not run, whether or not the container exists. */
export function containerStopped(docker: string, name: string): Check {
  return {
    label: `container ${name} does not run`,
    script: `${lookAt}look_at "$1" '{{.State.Status}}' "$2" || exit 1
[ -n "$there" ] || exit 0
case $now in created | exited | dead) ;; *) echo "it is $now"; exit 1 ;; esac`,
    args: [docker, name],
  }
}

/** Exists, was created from this definition and is not started. */
export function containerCreated(docker: string, name: string, definition: string): Check {
  return {
    label: `container ${name} is created and does not run`,
    script: `${lookAt}look_at "$1" '${stateAndLabel}' "$2" || exit 1
case $now in "created 0 $3" | "exited 0 $3" | "exited "*" $3") ;; *) echo "it is \${now:-missing}"; exit 1 ;; esac`,
    args: [docker, name, definition],
  }
}

/** Up for some seconds without a restart, whatever its definition. */
export function containerRuns(docker: string, name: string): Check {
  return {
    label: `container ${name} runs and is not restarted`,
    script: staysUp('running*'),
    args: [docker, name],
  }
}

/** Created from this definition and up for some seconds without a restart; on failure shows the end of its log. */
export function containerStaysUp(docker: string, name: string, definition: string): Check {
  return {
    label: `container ${name} runs and is not restarted`,
    script: staysUp('"running "*" $3"'),
    args: [docker, name, definition],
  }
}

export function containerGone(docker: string, name: string, ownershipLabel: string): Check {
  return {
    label: `container ${name} of converge does not exist`,
    script: `${lookAt}look_at "$1" '${labelOnly}' "$2" || exit 1
[ "$now" != "$3" ] || { echo "it still exists"; exit 1; }`,
    args: [docker, name, ownershipLabel],
  }
}

export function definitionIs(path: string, definition: string): Check {
  return {
    label: `${path} has the desired content`,
    script: `grep -q -- "$2" "$1" || { echo "it does not contain the digest $2"; exit 1; }`,
    args: [path, definition],
  }
}

function staysUp(wanted: '"running "*" $3"' | 'running*'): string {
  return `${lookAt}first=
for second in 1 2 3 4; do
  look_at "$1" '${stateAndLabel}' "$2" || exit 1
  case $now in
    ${wanted}) ;;
    '') echo "it does not exist"; exit 1 ;;
    *) echo "it is $now"; "$1" logs --tail 8 "$2" 2>&1; exit 1 ;;
  esac
  [ -z "$first" ] || [ "$first" = "$now" ] || { echo "it was restarted: $first, then $now"; "$1" logs --tail 8 "$2" 2>&1; exit 1; }
  first=$now
  [ "$second" = 4 ] || sleep 1
done`
}

const labelOnly = `{{index .Config.Labels "${ownershipLabelKey}"}}`
const stateAndLabel = `{{.State.Status}} {{.RestartCount}} {{index .Config.Labels "${definitionLabel}"}}`
const labelAndOrigin = `{{index .Config.Labels "${ownershipLabelKey}"}} ${[
  composeLabels.project,
  composeLabels.service,
  composeLabels.files,
]
  .map((label) => `{{index .Config.Labels "${label}"}}`)
  .join(' ')}`
