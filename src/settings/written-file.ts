import { digestFunction } from '../managers/linux-checks.ts'
import type { Check, RunStep } from '../model/step.ts'

/** Deletes a file that this run wrote; leaves it alone if it is no longer ours. */
export function takeBack(path: string, digest: string): RunStep {
  const script = `if [ ! -e "$1" ]; then exit 0; fi
${digestFunction}
now=$(digest "$1") || { echo "$1 is not readable"; exit 1; }
if [ "$now" = "$2" ]; then rm -f "$1"; fi`
  return { do: 'run', label: `delete ${path}`, guards: [], script, args: [path, digest], timeoutMs: 60_000 }
}

export function isWritten(path: string, digest: string): Check {
  return {
    label: `${path} has the desired content`,
    script: `${digestFunction}
now=$(digest "$1") || { echo "$1 is not readable"; exit 1; }
[ "$now" = "$2" ] || { echo "its SHA-256 is $now"; exit 1; }`,
    args: [path, digest],
  }
}
