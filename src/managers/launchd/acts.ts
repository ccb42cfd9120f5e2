import type { Check, PutStep, RunStep } from '../../model/step.ts'
import { guiDomain, withAgentFunctions } from './agent-functions.ts'
import { agentComesFrom } from './checks.ts'

/** Where one service is for launchd. */
export interface LaunchdTarget {
  readonly label: string
  /** Of the property list. */
  readonly path: string
  readonly log: string
  readonly port: number
  /** Seconds a server gets to stop by itself. */
  readonly grace: number
}

const minuteMs = 60_000
/** Two starts lie ten seconds apart at least, and a kickstart in between blocks for longer. */
const startS = 45

/** launchd makes no folder for a log, and fails the job instead. */
export function makeLogFolder({ log }: LaunchdTarget, owner: string | undefined): RunStep {
  const script = `if [ -d "$1" ]; then exit 0; fi
# Those above it are there on every Mac.
# shellcheck disable=SC2174
mkdir -p -m 755 "$1" || exit 1
[ -z "$2" ] || chown "$2" "$1"`
  return run('create the log folder if it is missing', [], script, [log.slice(0, log.lastIndexOf('/')), owner ?? ''])
}

const reloadScript = `launchctl enable "$domain/$1" && unload "$1" "$5" && wait_for_port "$3" 15 && load "$1" "$2" && run "$1" "$4"`
/** In a rollback a server that shares its port with somebody is better than none. */
const bringBackScript = `unload "$1" "$5" && { wait_for_port "$3" 15 || :; } && load "$1" "$2" && run "$1" "$4"`

/** What is loaded makes way for what the file says now, and that runs. */
export function reload(target: LaunchdTarget, guards: readonly Check[]): RunStep {
  return reloading(`load ${target.label} anew and start it`, reloadScript, { target, guards, more: [] })
}

/** A label that is disabled is not loaded at login; one that is loaded goes on. */
export function keepFromLogin({ label }: LaunchdTarget): RunStep {
  const script = `launchctl disable "${guiDomain}/$1"`
  return run(`keep ${label} from starting at login`, [], script, [label])
}

/** One that somebody disabled would not come up at the next login; what runs goes on. */
export function letLogin({ label }: LaunchdTarget): RunStep {
  const script = `launchctl enable "${guiDomain}/$1"`
  return run(`have ${label} start at login`, [], script, [label])
}

/** One that is loaded as it should be. */
export function kickstart(target: LaunchdTarget, guards: readonly Check[]): RunStep {
  const script = `launchctl enable "$domain/$1" && run "$1" "$4"`
  return agentStep(`start ${target.label}`, guards, script, target, [String(startS)], 2 * minuteMs)
}

/** The same job begins again. */
export function restartInPlace(target: LaunchdTarget, guards: readonly Check[]): RunStep {
  const script = `look_at "$1" || exit 1
old=$(pid)
launchctl enable "$domain/$1" || exit 1
said=$(launchctl kickstart -k "$domain/$1" 2>&1)
waited=0
while look_at "$1" || exit 1; now=$(pid); [ -z "$now" ] || [ "$now" = "$old" ]; do
  if [ "$waited" -ge "$4" ]; then echo "it was not restarted: $(state), pid $now. $said"; exit 1; fi
  case $((waited % 10)) in 9) said=$(launchctl kickstart "$domain/$1" 2>&1) ;; esac
  waited=$((waited + 1))
  sleep 1
done`
  return agentStep(`restart ${target.label}`, guards, script, target, [String(startS)], 3 * minuteMs)
}

/**
 * It stays loaded and does not run, and no login starts it. Each process is asked once: a second signal makes a server leave at once,
 * and not successfully. One that is still loading dies of the first, which is no success either: launchd would start it again, at once
 * or some time, so such a job is unloaded as well.
 */
export function stopAgent(target: LaunchdTarget, guards: readonly Check[]): RunStep {
  const script = `launchctl disable "$domain/$1" || exit 1
waited=0 told=
while look_at "$1" || exit 1; now=$(pid); [ -n "$now" ]; do
  if [ -z "$told" ]; then
    said=$(launchctl kill SIGTERM "$domain/$1" 2>&1)
    told=$now
  fi
  if [ "$now" != "$told" ] || [ "$waited" -ge "$4" ]; then break; fi
  waited=$((waited + 1))
  sleep 1
done
stays_down || unload "$1" "$5" || exit 1
wait_for_port "$3" 15`
  const label = `stop ${target.label}, and keep it from starting at login`
  const seconds = [String(target.grace + 5), String(target.grace + 30)]
  return agentStep(label, guards, script, target, seconds, target.grace * 2000 + 2 * minuteMs)
}

/** Until launchd, the process and the port are rid of it. */
export function removeAgent(target: LaunchdTarget, guards: readonly Check[]): RunStep {
  const script = `unload "$1" "$4" && wait_for_port "$3" 15`
  return agentStep(
    `unload ${target.label}`,
    guards,
    script,
    target,
    [String(target.grace + 30)],
    target.grace * 1000 + 2 * minuteMs,
  )
}

/** The rollback where nothing ran: what may have been started ends. Its port may be somebody else's by then, who stays. */
export function unloadAgent(target: LaunchdTarget, guards: readonly Check[]): RunStep {
  const { grace, label } = target
  return agentStep(`unload ${label}`, guards, 'unload "$1" "$4"', target, [String(grace + 30)], grace * 1000 + 2 * minuteMs)
}

/** The rollback: from the file as it lies there, unless the old process still runs and was never touched. */
export function runAsBefore(target: LaunchdTarget, pid: number): RunStep {
  const script = `launchctl enable "$domain/$1" && look_at "$1" || exit 1\nif [ "$(pid)" = "$6" ]; then exit 0; fi\n${bringBackScript}`
  // The file that was put back may be anybody's, but it lies in our place.
  const guards = [agentComesFrom(target.label, target.path)]
  return reloading(`run ${target.label} as before`, script, { target, guards, more: [String(pid)] })
}

/** launchd's own reader, where there is one: a file that it cannot read is told by 5 and no word more. */
export function validatePlist(): NonNullable<PutStep['validate']> {
  return { script: 'command -v plutil >/dev/null 2>&1 || exit 0\nplutil -lint "$1"', args: [] }
}

function reloading(
  label: string,
  script: string,
  {
    target,
    guards,
    more,
  }: { readonly target: LaunchdTarget; readonly guards: readonly Check[]; readonly more: readonly string[] },
): RunStep {
  const seconds = [String(startS), String(target.grace + 30)]
  return agentStep(label, guards, script, target, [...seconds, ...more], (target.grace + 60) * 1000 + 3 * minuteMs)
}

function agentStep(
  label: string,
  guards: readonly Check[],
  script: string,
  { label: name, path, port }: LaunchdTarget,
  more: readonly string[],
  timeoutMs: number,
): RunStep {
  return { ...run(label, guards, withAgentFunctions(script), [name, path, String(port), ...more], timeoutMs), server: true }
}

function run(label: string, guards: readonly Check[], script: string, args: readonly string[], timeoutMs = minuteMs): RunStep {
  return { do: 'run', label, guards, script, args, timeoutMs }
}
