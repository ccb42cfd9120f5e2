import type { Check } from '../model/step.ts'

/** The host has not rebooted since the facts were gathered. */
export function sameBoot(bootId: string): Check {
  return {
    label: 'the host has not rebooted since the plan was made',
    script: `now=$(cat /proc/sys/kernel/random/boot_id) || exit 1
[ "$now" = "$1" ] || { echo "its boot id is now $now"; exit 1; }`,
    args: [bootId],
  }
}

/** @param digest SHA-256 of the content; null: there must be no such file */
export function definitionUnchanged(path: string, digest: string | null): Check {
  if (digest === null) {
    return {
      label: `there is still no ${path}`,
      script: `if [ -e "$1" ] || [ -L "$1" ]; then echo "$1 exists now"; exit 1; fi`,
      args: [path],
    }
  }
  return {
    label: `${path} has not changed since the plan was made`,
    script: `[ -f "$1" ] || { echo "$1 is gone"; exit 1; }
${digestFunction}
now=$(digest "$1") || { echo "no tool for SHA-256 is installed"; exit 1; }
[ "$now" = "$2" ] || { echo "its SHA-256 is now $now"; exit 1; }`,
    args: [path, digest],
  }
}

/** Defines `digest FILE`: lower-case SHA-256. */
export const digestFunction = `digest() {
  if command -v sha256sum >/dev/null 2>&1; then out=$(sha256sum <"$1")
  elif command -v shasum >/dev/null 2>&1; then out=$(shasum -a 256 <"$1")
  else out=$(openssl dgst -sha256 -r <"$1"); fi || return 1
  printf '%s\\n' "\${out%% *}"
}`

/** The end of a removal: a remaining definition would be loaded again some day. */
export function fileGone(path: string): Check {
  return {
    label: `there is no ${path}`,
    script: `if [ -e "$1" ] || [ -L "$1" ]; then echo "$1 still exists"; exit 1; fi`,
    args: [path],
  }
}

/** In state LISTEN, IPv4 or IPv6, read from the kernel, so that no tool is needed. */
export function portFree(port: number): Check {
  return {
    label: `nothing listens on port ${port}`,
    script: `[ -r /proc/net/tcp ] || { echo "/proc/net/tcp is not readable"; exit 1; }
hex=$(printf '%04X' "$1") || exit 1
if cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -q "^ *[0-9]*: [0-9A-F]*:$hex [0-9A-F]*:[0-9A-F]* 0A "; then
  echo "something listens on port $1"
  exit 1
fi`,
    args: [String(port)],
  }
}

/** The process is still the same: a pid may have been reused. */
export function processUnchanged(process: { readonly pid: number; readonly start: string }): Check {
  return {
    label: `process ${process.pid} has not changed since the plan was made`,
    script: `stat=$(cat "/proc/$1/stat" 2>/dev/null) || { echo "process $1 has ended"; exit 1; }
want=$2
# Skips the name, which may contain anything: field 22 is word 20 of the rest.
# shellcheck disable=SC2086
set -- \${stat##*) }
shift 19
[ "$1" = "$want" ] || { echo "the pid now belongs to another process"; exit 1; }`,
    args: [String(process.pid), process.start],
  }
}

export function runsAsRoot(why: string): Check {
  return {
    label: `commands run as root, which ${why}`,
    script: `[ "$(id -u)" = 0 ] || { echo "they run as $(id -un): set ansible_become for this host"; exit 1; }`,
    args: [],
  }
}
