import type { Caffeinate, HostFacts } from '../../model/facts.ts'
import { mapObserved, type Observed } from '../../model/observed.ts'
import type { Check, RunStep } from '../../model/step.ts'
import type { GroupBody } from '../compile-action.ts'
import { macProcessUnchanged } from '../macos-checks.ts'
import { withAgentFunctions } from './agent-functions.ts'
import type { JobName } from './domain.ts'
import type { Job } from './job.ts'

/**
 * Prevents idle sleep, also on battery, where `-s` has no effect, and sleep of the disks that hold the model. Manual sleep and a dark screen
 * stay possible. A process with exactly these arguments counts as ours.
 */
const flags = ['-i', '-m']

/** Shell that sets `$awake` to the processes with exactly these arguments for `$server`; not every `ps` shows the path of a program. */
const findAwake = `all=$(ps -axww -o pid=,command=) || exit 1
awake=$(printf '%s\\n' "$all" | awk -v words="caffeinate ${flags.join(' ')} -w $server" '
    { number = $1; $1 = ""; sub(/^ */, ""); sub(/^[^ ]*\\//, "") }
    $0 == words { print number }')`

/** Our processes that keep the Mac awake while this process runs. */
export function awakeFor(pid: number, { caffeinates }: Pick<HostFacts, 'caffeinates'>): Observed<readonly Caffeinate[]> {
  return mapObserved(caffeinates, (all) => all.filter((one) => one.waitsFor === pid && one.flags.join(' ') === flags.join(' ')))
}

/** Those that the account may end: its own, and root's if it is root. */
export function ownAwake(all: readonly Caffeinate[], { layout }: Pick<HostFacts, 'layout'>): readonly Caffeinate[] {
  if (!layout.known) return []
  const { user, effectiveUid } = layout.value
  return all.filter((one) => one.user === user || (effectiveUid === 0 && one.user === 'root'))
}

/** Starts one for the agent's current process, or ends those that were observed. */
export function keepAwake(job: Job, facts: HostFacts): GroupBody {
  const { prechecks, guards, input, action } = job
  if (input.service.keepAwake)
    return { precheck: prechecks, steps: [begin(job, guards)], postcheck: [isKeptAwake(job)], undo: [takeBack(job)] }
  const awake = awakeFor(action.relies_on.process?.pid ?? 0, facts)
  const own = awake.known ? ownAwake(awake.value, facts) : []
  return { precheck: prechecks, steps: own.map((one) => end(one, guards)), postcheck: own.map(hasEnded), undo: [] }
}

/** It outlives the connection and ends with the server, so it needs no cleanup. */
function begin({ domain, label }: JobName, guards: readonly Check[]): RunStep {
  const script = withAgentFunctions(
    `command -v caffeinate >/dev/null 2>&1 || { echo 'caffeinate: not found'; exit 1; }
look_at "$1" || exit 1
server=$(pid)
[ -n "$server" ] || { echo "it has no process: $(state), $(last_exit)"; exit 1; }
nohup caffeinate ${flags.join(' ')} -w "$server" </dev/null >/dev/null 2>&1 &`,
    domain,
  )
  return { do: 'run', label: `keep the Mac awake while ${label} runs`, guards, script, args: [label], timeoutMs: 60_000 }
}

/** The rollback of a start: no such process waited for this server before. */
function takeBack({ domain, label }: JobName): RunStep {
  const script = withAgentFunctions(
    `look_at "$1" || exit 1
server=$(pid)
[ -n "$server" ] || exit 0
${findAwake}
for one in $awake; do kill "$one" || exit 1; done`,
    domain,
  )
  return {
    do: 'run',
    label: `no longer keep the Mac awake while ${label} runs`,
    guards: [],
    script,
    args: [label],
    timeoutMs: 60_000,
  }
}

/** A pid may have been reused: the guard also compares the start time. */
function end({ pid, start }: Caffeinate, guards: readonly Check[]): RunStep {
  const script = `kill "$1" || exit 1
waited=0
while kill -0 "$1" 2>/dev/null; do
  if [ "$waited" -ge 10 ]; then echo "process $1 does not end"; exit 1; fi
  waited=$((waited + 1))
  sleep 1
done`
  return {
    do: 'run',
    label: `stop caffeinate, process ${pid}`,
    guards: [...guards, macProcessUnchanged({ pid, start })],
    script,
    args: [String(pid)],
    timeoutMs: 60_000,
  }
}

function isKeptAwake({ domain, label }: JobName): Check {
  return {
    label: `the Mac is kept awake while ${label} runs`,
    script: withAgentFunctions(
      `tries=0
while :; do
  look_at "$1" || exit 1
  server=$(pid)
  ${findAwake}
  if [ -n "$awake" ]; then exit 0; fi
  tries=$((tries + 1))
  if [ "$tries" -ge 5 ]; then echo "no caffeinate waits for its process \${server:-(none)}"; exit 1; fi
  sleep 1
done`,
      domain,
    ),
    args: [label],
  }
}

/** For a missing process, ps exits with 1 and prints nothing. */
function hasEnded({ pid, start }: Caffeinate): Check {
  return {
    label: `caffeinate, process ${pid}, has ended`,
    script: `now=$(LC_ALL=C ps -p "$1" -o lstart= 2>&1) || {
  [ -n "$now" ] || exit 0
  printf '%s\\n' "$now"
  exit 1
}
want=$2
# shellcheck disable=SC2086
set -- $now
[ "$*" != "$want" ] || { echo "it still runs"; exit 1; }`,
    args: [String(pid), start],
  }
}
