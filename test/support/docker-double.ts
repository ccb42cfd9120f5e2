import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the double has of its one container; null: there is none. */
export interface DoubleContainer {
  readonly id: string
  readonly startedAt: string
  readonly status: string
  readonly definition: string
  readonly mark: string
}

/** At which of its calls the double fails, the first being 1. */
export interface Failing {
  readonly from: number
  /** The last one; undefined: all that follow. */
  readonly to: number | undefined
  /** Nothing is done and the engine is not reached; or it is done, and the answer is lost. */
  readonly how: 'unreachable' | 'unheard'
}

export interface DockerDouble {
  readonly path: string
  readonly calls: () => number
  readonly container: () => DoubleContainer | null
}

const parts = ['id', 'startedAt', 'status', 'definition', 'mark'] as const

/** A docker client with compose, for one service with one container, whose engine is a folder. */
export function dockerDouble(folder: string, before: DoubleContainer | null, failing: Failing | undefined): DockerDouble {
  const state = join(folder, 'engine')
  mkdirSync(state)
  for (const part of before === null ? [] : parts) writeFileSync(join(state, part), before?.[part] ?? '')
  writeFileSync(join(state, 'calls'), '0')
  const { from, to = 1_000_000, how } = failing ?? { from: 0, to: 0, how: 'unreachable' }
  writeFileSync(join(state, 'failing'), `${from} ${to} ${how}\n`)
  const path = join(folder, 'docker')
  writeFileSync(path, `#!/bin/sh\nstate='${state}'\n${program}`)
  chmodSync(path, 0o755)
  const part = (name: string) => readFileSync(join(state, name), 'utf8').trim()
  return {
    path,
    calls: () => Number(part('calls')),
    container: () =>
      existsSync(join(state, 'id'))
        ? {
            id: part('id'),
            startedAt: part('startedAt'),
            status: part('status'),
            definition: part('definition'),
            mark: part('mark'),
          }
        : null,
  }
}

/** Files are read by the shell itself: a process for each would be most of what a test of many calls costs. */
const program = String.raw`
set -f
get() { IFS= read -r "$1" 2>/dev/null <"$state/$1" || :; }
put() { echo "$2" >"$state/$1"; }
get calls
calls=$((calls + 1))
put calls "$calls"
read -r from to how <"$state/failing"
silent() {
  echo 'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?' >&2
  exit 1
}
fails=
if [ "$calls" -ge "$from" ] && [ "$calls" -le "$to" ]; then fails=$how; fi
[ "$fails" != unreachable ] || silent
needed() {
  [ -e "$state/id" ] || { echo "Error response from daemon: No such container: coder" >&2; exit 1; }
}
run_it() { put status running; put startedAt "run-$calls"; }
look() {
  running=false
  get id; get startedAt; get status; get mark; get definition
  [ "$status" != running ] || running=true
  shown=
  IFS='{}'
  for piece in $1; do
    case $piece in
      .Id) piece=$id ;;
      .State.StartedAt) piece=$startedAt ;;
      .State.Status) piece=$status ;;
      .State.Running) piece=$running ;;
      .RestartCount) piece=0 ;;
      'index .Config.Labels "converge.managed"') piece=$mark ;;
      'index .Config.Labels "converge.definition"') piece=$definition ;;
      .* | index*) piece="{{$piece}}" ;;
    esac
    shown=$shown$piece
  done
  echo "$shown"
}
read_labels() {
  while read -r line; do
    IFS=' ":'
    for word in $line; do
      case $key in
        converge.definition) wanted=$word ;;
        converge.managed) mark=$word ;;
      esac
      [ -z "$word" ] || key=$word
    done
    key=
  done
}
up() {
  file=$1 start=$2 anew=$3
  key= wanted= mark=
  read_labels <"$file"
  definition=
  status=
  get definition
  if [ ! -e "$state/id" ] || [ "$anew" = yes ] || [ "$definition" != "$wanted" ]; then
    put id "id-$calls"
    put definition "$wanted"
    put mark "$mark"
    put status created
    put startedAt never
  fi
  get status
  [ "$start" = no ] || [ "$status" = running ] || run_it
}
compose() {
  case $* in *' config '*) return 0 ;; esac
  file=$5 start=yes anew=no
  case $* in *--no-start*) start=no ;; esac
  case $* in *--force-recreate*) anew=yes ;; esac
  up "$file" "$start" "$anew"
}
case "$1 $2" in
  'ps --quiet') if [ -e "$state/id" ]; then get id; echo "$id"; fi ;;
  'inspect --type') echo 'WARNING: the client has something to say' >&2; needed; look "$5" ;;
  'image inspect') ;;
  'network inspect') echo "Error response from daemon: network $5 not found" >&2; exit 1 ;;
  stop*) needed; put status exited ;;
  start*) needed; run_it ;;
  rm*) needed; rm "$state/id" "$state/status" "$state/definition" "$state/mark" "$state/startedAt" ;;
  logs*) echo 'the end of its log' ;;
  compose*) compose "$@" ;;
  *) echo "the double knows no docker $*" >&2; exit 125 ;;
esac
[ -z "$fails" ] || silent
`
