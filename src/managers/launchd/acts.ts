import type { Check, PutStep, RunStep } from '../../model/step.ts'
import { withAgentFunctions } from './agent-functions.ts'
import { agentComesFrom, type OwnAgent } from './checks.ts'
import { domainWord, domainWords } from './domain.ts'

/** One service under launchd. */
export interface LaunchdTarget extends OwnAgent {
  readonly log: string
  readonly port: number
  /** Seconds a server gets to stop on its own. */
  readonly grace: number
  /** launchd loaded it with less time, and would kill its process sooner. */
  readonly killedEarly?: true
}

const minuteMs = 60_000
/** launchd keeps at least ten seconds between two starts; a kickstart in between blocks even longer. */
const startS = 45

/** launchd does not create folders for logs: the job would fail. */
export function makeLogFolder({ log, domain }: LaunchdTarget, owner: string | undefined): RunStep {
  if (domain === 'system') return makeDaemonLog(log, owner)
  const script = `if [ -d "$1" ]; then exit 0; fi
# Its parents exist on every Mac.
# shellcheck disable=SC2174
mkdir -p -m 755 "$1" || exit 1
[ -z "$2" ] || chown "$2" "$1"`
  return run('create the log folder if it is missing', [], script, [log.slice(0, log.lastIndexOf('/')), owner ?? ''])
}

/**
 * The log belongs to the account, in a folder that only root can change: newsyslog runs as root, and would follow a link that the account puts
 * in the place of a log.
 */
function makeDaemonLog(log: string, owner: string | undefined): RunStep {
  const script = `folder=\${1%/*}
for one in "\${folder%/*}" "$folder"; do
  if [ ! -d "$one" ]; then mkdir -m 755 "$one" || exit 1; fi
done
chown root "$folder" && chmod 755 "$folder" || exit 1
if [ -L "$1" ] || { [ -e "$1" ] && [ ! -f "$1" ]; }; then echo "$1 is not a plain file" >&2; exit 1; fi
if [ ! -e "$1" ]; then true >"$1" || exit 1; fi
chown "$2" "$1" && chmod 640 "$1"`
  return run('create the log of its account if it is missing', [], script, [log, owner ?? 'root'])
}

/** Reloads the agent from its file and starts it. */
export function reload(target: LaunchdTarget, guards: readonly Check[]): RunStep {
  const script = `launchctl enable "$domain/$1" && ${unloadIn(target, '"$5"')} && wait_for_port "$3" 15 && load "$1" "$2" && run "$1" "$4"`
  return reloading(`load ${target.label} anew and start it`, script, { target, guards, more: [] })
}

/** A disabled label is not loaded at login or boot; a loaded agent keeps running. */
export function keepFromLogin({ domain, label }: LaunchdTarget): RunStep {
  const script = `launchctl disable "${domainWord[domain]}/$1"`
  return run(`keep ${label} from starting at ${domainWords[domain].start}`, [], script, [label])
}

/** A disabled job would not start at the next login or boot; a running one keeps running. */
export function letLogin({ domain, label }: LaunchdTarget): RunStep {
  const script = `launchctl enable "${domainWord[domain]}/$1"`
  return run(`have ${label} start at ${domainWords[domain].start}`, [], script, [label])
}

/** Starts an agent that is already loaded as desired. */
export function kickstart(target: LaunchdTarget, guards: readonly Check[]): RunStep {
  const script = `launchctl enable "$domain/$1" && run "$1" "$4"`
  return agentStep(`start ${target.label}`, guards, script, target, [String(startS)], 2 * minuteMs)
}

/**
 * Restarts the loaded job. `kickstart -k` would kill the process: that cuts off requests, and macOS may lose the wired memory of a large one. One
 * that does not end by itself is unloaded, which makes launchd kill it when its time is up.
 */
export function restartInPlace(target: LaunchdTarget, guards: readonly Check[]): RunStep {
  const script = `launchctl enable "$domain/$1" && ask_to_end "$1" "$5" || exit 1
if [ -n "$old" ] && [ "$(pid)" = "$old" ]; then
  unload "$1" "$6" && load "$1" "$2" || exit 1
fi
run "$1" "$4"`
  const { grace, label } = target
  const seconds = [String(startS), String(grace + 5), String(grace + 30)]
  return agentStep(`restart ${label}`, guards, script, target, seconds, grace * 2000 + 4 * minuteMs)
}

/**
 * The agent stays loaded but does not run, and no login starts it. A server that is still loading dies of the signal with a failure: launchd would
 * start it again sooner or later, so such a job is unloaded as well.
 */
export function stopAgent(target: LaunchdTarget, guards: readonly Check[]): RunStep {
  const script = `launchctl disable "$domain/$1" && ask_to_end "$1" "$4" || exit 1
stays_down || unload "$1" "$5" || exit 1
wait_for_port "$3" 15`
  const label = `stop ${target.label}, and keep it from starting at ${domainWords[target.domain].start}`
  const seconds = [String(target.grace + 5), String(target.grace + 30)]
  return agentStep(label, guards, script, target, seconds, target.grace * 2000 + 2 * minuteMs)
}

/** Waits until the job, its process and its port are gone. */
export function removeAgent(target: LaunchdTarget, guards: readonly Check[]): RunStep {
  const script = `${unloadIn(target, '"$4"')} && wait_for_port "$3" 15`
  return agentStep(`unload ${target.label}`, guards, script, target, [String(target.grace + 30)], unloadMs(target) + 2 * minuteMs)
}

/** The rollback where nothing ran: ends what may have been started. It does not wait for the port, which another process may hold. */
export function unloadAgent(target: LaunchdTarget, guards: readonly Check[]): RunStep {
  const { grace, label } = target
  const script = unloadIn(target, '"$4"')
  return agentStep(`unload ${label}`, guards, script, target, [String(grace + 30)], unloadMs(target) + 2 * minuteMs)
}

/** Gives a process that launchd would kill too early its time first. */
function unloadIn({ killedEarly }: LaunchdTarget, seconds: string): string {
  return `${killedEarly === true ? `ask_to_end "$1" ${seconds} && ` : ''}unload "$1" ${seconds}`
}

function unloadMs({ grace, killedEarly }: LaunchdTarget): number {
  return grace * (killedEarly === true ? 2000 : 1000)
}

/**
 * The rollback: starts from the restored file, unless the old process still runs untouched. A server on a contested port is better than none.
 */
export function runAsBefore(target: LaunchdTarget, pid: number): RunStep {
  const script = `launchctl enable "$domain/$1" && look_at "$1" || exit 1
if [ "$(pid)" = "$6" ]; then exit 0; fi
${unloadIn(target, '"$5"')} && { wait_for_port "$3" 15 || :; } && load "$1" "$2" && run "$1" "$4"`
  // The restored file may have another owner, but it is at the service's path.
  const guards = [agentComesFrom(target)]
  return reloading(`run ${target.label} as before`, script, { target, guards, more: [String(pid)] })
}

/** launchd's own parser, if installed: launchd reports an unreadable file only as status 5. */
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
  return agentStep(label, guards, script, target, [...seconds, ...more], unloadMs(target) + 4 * minuteMs)
}

function agentStep(
  label: string,
  guards: readonly Check[],
  script: string,
  { domain, label: name, path, port }: LaunchdTarget,
  more: readonly string[],
  timeoutMs: number,
): RunStep {
  return {
    ...run(label, guards, withAgentFunctions(script, domain), [name, path, String(port), ...more], timeoutMs),
    server: true,
  }
}

function run(label: string, guards: readonly Check[], script: string, args: readonly string[], timeoutMs = minuteMs): RunStep {
  return { do: 'run', label, guards, script, args, timeoutMs }
}
