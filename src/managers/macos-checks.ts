import type { Check } from '../model/step.ts'

/** The boot in which the facts were gathered is still on. */
export function sameMacBoot(bootId: string): Check {
  return {
    label: 'the host has not rebooted since the plan was made',
    script: `now=$(sysctl -n kern.bootsessionuuid) || exit 1
[ "$now" = "$1" ] || { echo "its boot id is now $now"; exit 1; }`,
    args: [bootId],
  }
}

/** By all that may tell: without root lsof sees only our own processes, netstat sees every port. */
export function macPortFree(port: number): Check {
  return {
    label: `nothing listens on port ${port}`,
    script: `${portFunction}
command -v lsof >/dev/null 2>&1 || command -v netstat >/dev/null 2>&1 || { echo "neither lsof nor netstat is here to tell"; exit 1; }
if port_taken "$1"; then echo "something listens on port $1, or netstat does not tell"; exit 1; fi`,
    args: [String(port)],
  }
}

/** Defines `port_taken PORT`. Where netstat does not answer, nobody knows, and it counts as taken. */
export const portFunction = `port_taken() {
  if command -v lsof >/dev/null 2>&1 && [ -n "$(lsof -nP -iTCP:"$1" -sTCP:LISTEN -t 2>/dev/null)" ]; then return 0; fi
  command -v netstat >/dev/null 2>&1 || return 1
  sockets=$(netstat -anv -p tcp 2>/dev/null) || return 0
  printf '%s\\n' "$sockets" | grep LISTEN | grep -q "[.]$1 "
}`

/** The process is still the same one: a number alone may have gone to another. */
export function macProcessUnchanged(process: { readonly pid: number; readonly start: string }): Check {
  return {
    label: `process ${process.pid} has not changed since the plan was made`,
    script: `now=$(LC_ALL=C ps -p "$1" -o lstart= 2>/dev/null) || { echo "process $1 has ended"; exit 1; }
# shellcheck disable=SC2086
set -- "$1" "$2" $now
want=$2
shift 2
[ "$*" = "$want" ] || { echo "that number belongs to another process now"; exit 1; }`,
    args: [String(process.pid), process.start],
  }
}
