import { ownMember } from '../../lib/own-member.ts'
import type { RunStep } from '../../model/step.ts'
import { flagsOf } from '../../servers/flags.ts'
import { isSettled, type Job } from './job.ts'
import { launchInContainer } from './project.ts'
import { isUp } from './seen.ts'

/**
 * Before a running server is stopped for a new container: asks the image for its help, in a container without network, mounts and key, with
 * a limit of 30 seconds. Flags that a running container of the same image already has are proven. A build that lacks a flag ends with a usage
 * error; without a help text nothing is known, and the action continues.
 */
export function lookAtImage({ docker, target, ownershipLabel, input, container, facts }: Job): readonly RunStep[] {
  if (container === null || !isUp(container) || !isSettled(container)) return []
  const launch = launchInContainer(input)
  const now = facts.containers.known ? ownMember(facts.containers.value.imageIds ?? {}, target.image) : undefined
  const image = target.pulls ?? target.image
  const same = container.image === image && now !== undefined && now === container.imageId
  const flags = flagsOf(launch).filter((flag) => !same || !container.command.some((word) => word.replace(/=.*$/s, '') === flag))
  if (flags.length === 0) return []
  const [entry = '', ...words] = launch.entrypointLength === launch.program.length ? [] : launch.program
  return [
    {
      do: 'run',
      label: `check that the image ${image} supports the flags of ${target.name}`,
      prepares: true,
      guards: [],
      script: askForHelp,
      args: [docker, ownershipLabel, target.name, image, flags.join('\n'), entry, ...words],
      timeoutMs: 180_000,
      unknown: 'its help could not be read; it may end with a usage error',
    },
  ]
}

/**
 * Prints `unknown` where the image lists no flags. Removes containers that an interrupted check left; their label identifies them. The
 * engine limits the log of the container. The awk reads help as `facts/help-flags.ts` does: flags at the start of a line, and in the brackets
 * of a usage line.
 */
const askForHelp = String.raw`docker=$1 label=$2 name=$3 image=$4 flags=$5 entry=$6
shift 6
sweep() {
  for asked in $("$docker" ps -aq --filter "label=converge.asked=$label"); do "$docker" rm -fv "$asked" >/dev/null 2>&1; done
}
trap sweep EXIT
trap 'exit 1' HUP INT TERM
sweep
id=$("$docker" run -d --label "converge.asked=$label" --network none --no-healthcheck --log-driver json-file --log-opt max-size=1m \
  ${'$'}{entry:+--entrypoint "$entry"} "$image" "$@" --help 2>/dev/null) || { echo unknown; exit 0; }
second=0
while [ "$("$docker" inspect -f '{{.State.Running}}' "$id")" = true ]; do
  [ "$second" -lt 30 ] || { echo unknown; exit 0; }
  second=$((second + 1))
  sleep 1
done
said=$("$docker" logs "$id" 2>&1 | wanted=$flags LC_ALL=C awk '
  { sub(/\r$/, "") }
  /^[ \t]*-/ {
    sub(/^[ \t]+/, "")
    while (match($0, /^--?[A-Za-z][A-Za-z0-9_-]*/)) {
      listed[substr($0, 1, RLENGTH)] = any = 1
      $0 = substr($0, RLENGTH + 1)
      if (!match($0, /^([ =][^- \t,][^ \t,]*)?([ \t]*,[ \t]*|[ \t]+)--?[A-Za-z]/)) break
      $0 = substr($0, RLENGTH - (substr($0, RLENGTH - 2, 2) == "--" ? 2 : 1))
    }
    next
  }
  /^[ \t]*\[/ || /^usage/ {
    while (match($0, /(^|[[(| \t])--?[A-Za-z][A-Za-z0-9_-]*/)) {
      flag = substr($0, RSTART, RLENGTH)
      sub(/^[^-]/, "", flag)
      listed[flag] = any = 1
      $0 = substr($0, RSTART + RLENGTH)
    }
  }
  END {
    if (!any) exit 3
    count = split(ENVIRON["wanted"], wanted, "\n")
    for (i = 1; i <= count; i++) if (!(wanted[i] in listed)) lacking = lacking " " wanted[i]
    if (lacking == "") exit 0
    print lacking
    exit 4
  }')
case $? in
0) ;;
4)
  echo "The help of $image does not list$said: its server would end with a usage error. Nothing was stopped."
  echo "Remove the flag (extra_args), or use another image. If the help is incomplete: docker stop $name, and apply again."
  exit 1
  ;;
*) echo unknown ;;
esac`
