/**
 * Shell: `start_in_proc PID` and `start_by_ps PID` tell when a process began, as the kernel counts it or, where that does not tell, as ps does.
 * `lives FILE`: whether the process of the line in it, `PID START`, still runs; sets `$pid`.
 */
export const lifeFunctions = `
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
lives() {
  [ -f "$1" ] || return 1
  told=$(head -c 200 "$1" 2>/dev/null)
  pid=\${told%% *} start=\${told#* }
  case $pid in '' | *[!0-9]*) return 1 ;; esac
  # Of a process that is gone no start is told, as none is in a line that was cut off.
  [ -n "$start" ] || return 1
  [ "$(start_in_proc "$pid")" = "$start" ] || [ "$(start_by_ps "$pid")" = "$start" ]
}
`
