/**
 * Shell for processes that go on when the connection is gone. A process is known by its number and its start together, written down as one
 * line: a number alone goes to another one day, and how long ago somebody gave a sign says nothing on a slow host.
 */

/** Runs a command in a session of its own, so that it can be ended with all it started and outlives the connection. Call it with `&`. */
const detachFunction = `
detach() {
  if command -v setsid >/dev/null 2>&1; then exec setsid "$@"; fi
  if command -v perl >/dev/null 2>&1; then exec perl -e 'use POSIX; POSIX::setsid(); exec @ARGV' "$@"; fi
  exec "$@"
}
`

/** `tell_process FILE`: who runs this. `lives FILE`: whether who was told of there still runs. */
export const processFunctions = `${detachFunction}
# As the kernel counts it, or where it does not tell, as ps does.
start_in_proc() {
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
  # What follows the name, which may hold anything: field 22 of all is word 20 from here.
  # shellcheck disable=SC2086
  set -- \${stat##*) }
  case $1 in Z | X) return 1 ;; esac
  shift 19
  echo "$1"
}
start_by_ps() {
  TZ=UTC0 ps -o lstart= -p "$1" 2>/dev/null | tr -s ' ' _ | grep .
}
tell_process() {
  start=$(start_in_proc "$$") || start=$(start_by_ps "$$") || return 1
  printf '%s %s\\n' "$$" "$start" | cat >"$1"
}
lives() {
  told=$(cat "$1" 2>/dev/null)
  pid=\${told%% *} start=\${told#* }
  case $pid in '' | *[!0-9]*) return 1 ;; esac
  [ "$(start_in_proc "$pid")" = "$start" ] || [ "$(start_by_ps "$pid")" = "$start" ]
}
# Who looks, or what it does right now.
at_work() { lives "$1/process" || lives "$1/worker"; }
`
