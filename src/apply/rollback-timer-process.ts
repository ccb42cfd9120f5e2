import { lifeFunctions } from '../facts/process-life.ts'

/**
 * Shell for processes that survive the connection. A process is identified by its pid and start time, written as one line: a pid alone
 * may be reused, and the age of the last heartbeat proves nothing on a slow host.
 */

/** Runs a command in its own session: it outlives the connection, and can be killed with all its children. Call it with `&`. */
const detachFunction = `
detach() {
  if command -v setsid >/dev/null 2>&1; then exec setsid "$@"; fi
  if command -v perl >/dev/null 2>&1; then exec perl -e 'use POSIX; POSIX::setsid(); exec @ARGV' "$@"; fi
  echo "there is neither setsid nor perl here, so nothing can be left running" >&2
  exit 1
}
`

/**
 * `leave_running FILE ARGUMENT…`: call it with `&` after `may_leave` succeeded. Where the system kills the processes of a login
 * (`KillUserProcesses` of logind, unless root or the account is exempt), it starts outside of the login. `may_leave` says why that is
 * impossible.
 */
export const leaveFunctions = `
ends_with_login() {
  where=$(cat /proc/self/cgroup 2>/dev/null)
  case $where in *session-*.scope*) ;; *) return 1 ;; esac
  case $(loginctl show-session -p KillUserProcesses 2>/dev/null) in *=no) return 1 ;; esac
  uid=\${where#*/user-}
  account=$(loginctl show-user "\${uid%%.slice*}" -p Name --value 2>/dev/null) && [ -n "$account" ] || return 0
  case " $(loginctl show-session -p KillExcludeUsers --value 2>/dev/null) " in *" $account "*) return 1 ;; esac
  return 0
}
outside_of_login() {
  if [ "$(id -u)" = 0 ]; then echo system; return 0; fi
  case $(loginctl show-user "$(id -un)" -p Linger 2>/dev/null) in *=yes) echo user; return 0 ;; esac
  return 1
}
may_leave() {
  if ! command -v setsid >/dev/null 2>&1 && ! command -v perl >/dev/null 2>&1; then
    echo "there is neither setsid nor perl here, so nothing can be left running"
    return 1
  fi
  if ends_with_login && { ! outside_of_login >/dev/null || ! command -v systemd-run >/dev/null 2>&1; }; then
    echo "this host ends what a login leaves running (KillUserProcesses=yes in logind.conf, or that cannot be asked), so nothing can go on after it: set ansible_become, or once on the host: loginctl enable-linger $(id -un)"
    return 1
  fi
}
leave_running() {
  if ends_with_login; then
    detach systemd-run "--$(outside_of_login)" --quiet --scope /bin/sh "$@"
  fi
  detach /bin/sh "$@"
}
`

/** `write_process FILE` writes the current process to a file. `at_work FOLDER`: whether a process named in the folder still runs. */
export const processFunctions = `${detachFunction}${lifeFunctions}
write_process() {
  start=$(start_in_proc "$$") || start=$(start_by_ps "$$") || return 1
  printf '%s %s\\n' "$$" "$start" | cat >"$1"
}
# The watching process, or the rollback it runs.
at_work() { lives "$1/process" || lives "$1/worker"; }
`
