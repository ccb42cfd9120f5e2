import type { Check } from '../model/step.ts'

/** The host has not rebooted since the facts were gathered. */
export function sameMacBoot(bootId: string): Check {
  return {
    label: 'the host has not rebooted since the plan was made',
    script: `now=$(sysctl -n kern.bootsessionuuid) || exit 1
[ "$now" = "$1" ] || { echo "its boot id is now $now"; exit 1; }`,
    args: [bootId],
  }
}

/** Asks both tools: without root, lsof sees only processes of the own account, netstat sees every port. */
export function macPortFree(port: number): Check {
  return {
    label: `nothing listens on port ${port}`,
    script: `${portFunction}
command -v lsof >/dev/null 2>&1 || command -v netstat >/dev/null 2>&1 || { echo "neither lsof nor netstat is installed"; exit 1; }
if port_taken "$1"; then echo "something listens on port $1, or netstat failed"; exit 1; fi`,
    args: [String(port)],
  }
}

/** Defines `port_taken PORT`. If netstat fails, the port counts as taken. */
export const portFunction = `port_taken() {
  if command -v lsof >/dev/null 2>&1 && [ -n "$(lsof -nP -iTCP:"$1" -sTCP:LISTEN -t 2>/dev/null)" ]; then return 0; fi
  command -v netstat >/dev/null 2>&1 || return 1
  sockets=$(netstat -anv -p tcp 2>/dev/null) || return 0
  printf '%s\\n' "$sockets" | grep LISTEN | grep -q "[.]$1 "
}`

/** The process is still the same: a pid may have been reused. */
export function macProcessUnchanged(process: { readonly pid: number; readonly start: string }): Check {
  return {
    label: `process ${process.pid} has not changed since the plan was made`,
    script: `now=$(LC_ALL=C ps -p "$1" -o lstart= 2>/dev/null) || { echo "process $1 has ended"; exit 1; }
# shellcheck disable=SC2086
set -- "$1" "$2" $now
want=$2
shift 2
[ "$*" = "$want" ] || { echo "the pid now belongs to another process"; exit 1; }`,
    args: [String(process.pid), process.start],
  }
}
