/**
 * Shell: `start_in_proc PID` and `start_by_ps PID` print when a process started, as the kernel counts it or as ps prints it.
 * `started_at PID START`: whether it started then. `lives FILE`: whether the process that the file names, `PID START`, still runs; sets `$pid`.
 */
export const lifeFunctions = `
# As the kernel counts it, or, without /proc, as ps prints it.
start_in_proc() {
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
    # Skips the name, which may contain anything: field 22 is word 20 of the rest.
  # shellcheck disable=SC2086
  set -- \${stat##*) }
  case $1 in Z | X) return 1 ;; esac
  shift 19
  echo "$1"
}
start_by_ps() {
  TZ=UTC0 ps -o lstart= -p "$1" 2>/dev/null | tr -s ' ' _ | grep .
}
# started_at PID START: only the kernel writes a start in digits alone, so there is one of the two to ask
started_at() {
  case $2 in
  *[!0-9]*) [ "$(start_by_ps "$1")" = "$2" ] ;;
  *) [ "$(start_in_proc "$1")" = "$2" ] ;;
  esac
}
lives() {
  [ -f "$1" ] || return 1
  recorded=$(head -c 200 "$1" 2>/dev/null)
  pid=\${recorded%% *} start=\${recorded#* }
  case $pid in '' | *[!0-9]*) return 1 ;; esac
    # A vanished process has no start, and neither has a truncated line.
  [ -n "$start" ] || return 1
  started_at "$pid" "$start"
}
`
