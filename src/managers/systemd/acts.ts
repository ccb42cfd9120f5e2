import type { Check, PutStep, RunStep } from '../../model/step.ts'
import { isDown, isNotEnabled, type OwnFile, unitComesFrom, whose } from './checks.ts'

/** One service under systemd. */
export interface SystemdTarget extends OwnFile {
  readonly unit: string
  /** Seconds a server gets to stop on its own. */
  readonly grace: number
}

const minuteMs = 60_000

export function daemonReload(): RunStep {
  return run('reload the units of systemd', [], 'systemctl daemon-reload', [])
}

/** The rollback of a stop, for a unit that did not start at boot. */
export function startOnly(unit: string, guards: readonly Check[]): RunStep {
  return onServer(run(`start ${unit} again`, guards, `${forget}\nsystemctl start "$1"`, [unit], startMs))
}

/** Resets earlier failures: a unit that hit its start limit could not be started otherwise. */
export function enableAndStart(unit: string, guards: readonly Check[]): RunStep {
  return onServer(run(`start ${unit}, now and at boot`, guards, `${forget}\nsystemctl enable --now "$1"`, [unit], startMs))
}

export function enableAndRestart(unit: string, graceS: number, guards: readonly Check[]): RunStep {
  const script = `${forget}\nsystemctl enable "$1" && systemctl restart "$1"`
  return onServer(run(`restart ${unit}`, guards, script, [unit], startMs + graceS * 1000))
}

/** Disables before it stops: if the run ends in between, the next plan notices. */
export function disableAndStop(unit: string, graceS: number, guards: readonly Check[]): RunStep {
  const script = `systemctl disable "$1" && systemctl stop "$1" || exit 1\n${forget}`
  return onServer(run(`stop ${unit}, and keep it from starting at boot`, guards, script, [unit], minuteMs + graceS * 1000))
}

/**
 * For the case that systemd may not know the unit, or that it may have another owner by now: a foreign unit is left running. An unknown unit
 * cannot be disabled or stopped, so the result counts, not the exit status.
 */
export function stopIfOurs({ unit, path, ownershipLabel, adopted, grace }: SystemdTarget): RunStep {
  const script = `${whose(adopted)}if [ -e "$2" ] || [ -L "$2" ]; then
  whose "$2" "$3"${adopted === undefined ? '' : ' "$4"'}
  case $? in 0) ;; 1) exit 0 ;; *) exit 1 ;; esac
fi
from=$(systemctl show -p FragmentPath "$1") || exit 1
case $from in FragmentPath= | "FragmentPath=$2") ;; *) exit 0 ;; esac
said=$(systemctl disable "$1" 2>&1; systemctl stop "$1" 2>&1)
(
${isDown}
${isNotEnabled}
) || { printf '%s\\n' "$said"; exit 1; }
${forget}`
  const args = [unit, path, ownershipLabel, ...(adopted === undefined ? [] : [adopted])]
  return onServer(run(`stop ${unit} if it exists and converge manages it`, [], script, args, minuteMs + grace * 1000))
}

/** The rollback of an install: leaves a foreign file alone that appeared meanwhile. */
export function deleteIfOurs({ path, ownershipLabel }: SystemdTarget): RunStep {
  const script = `${whose(undefined)}[ -e "$1" ] || [ -L "$1" ] || exit 0
whose "$1" "$2"
case $? in 0) rm -f "$1" ;; 1) exit 0 ;; *) exit 1 ;; esac`
  return run(`delete ${path} if converge manages it`, [], script, [path, ownershipLabel])
}

/** Enables or disables start at boot without touching the running process. */
export function setBoot(unit: string, enabled: boolean, guards: readonly Check[]): RunStep {
  const verb = enabled ? 'enable' : 'disable'
  const label = enabled ? `have ${unit} start at boot` : `keep ${unit} from starting at boot`
  return run(label, guards, `systemctl "$2" "$1"`, [unit, verb])
}

/** The rollback: starts the restored unit, unless the old process still runs untouched. */
export function runAsBefore(
  { unit, path, grace }: SystemdTarget,
  process: { readonly pid: number; readonly start: string },
): RunStep {
  const script = `now=$(systemctl show -p MainPID "$1") || exit 1
stat=$(cat "/proc/$2/stat" 2>/dev/null)
unit=$1 pid=$2 start=$3
# shellcheck disable=SC2086
set -- \${stat##*) }
if [ "$now" = "MainPID=$pid" ] && [ $# -ge 20 ]; then
  shift 19
  if [ "$1" = "$start" ]; then exit 0; fi
fi
systemctl reset-failed "$unit" 2>/dev/null
systemctl restart "$unit"`
  const args = [unit, String(process.pid), process.start]
  return onServer(run(`run ${unit} as before`, [unitComesFrom(unit, path)], script, args, startMs + grace * 1000))
}

/**
 * systemd's own verdict on the unit (under its real name, which implies its type), and whether its account exists, which systemd does not
 * check. Ignores faults of other units. Without the tool, the check after the reload has to do.
 */
export function validateUnit(unit: string, account: string): NonNullable<PutStep['validate']> {
  return {
    script: `id -u -- "$3" >/dev/null || exit 1
command -v systemd-analyze >/dev/null 2>&1 || exit 0
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cp "$1" "$folder/$2" || exit 1
if systemd-analyze --help 2>&1 | grep -q -e --recursive-errors; then
  systemd-analyze verify --man=no --recursive-errors=no "$folder/$2"
else
  said=$(systemd-analyze verify --man=no "$folder/$2" 2>&1) || { echo "$said"; exit 1; }
  case $said in *"$2"*) echo "$said"; exit 1 ;; esac
fi`,
    args: [unit, account],
  }
}

/** Starting waits only until the program is executed. */
const startMs = 2 * minuteMs
const forget = 'systemctl reset-failed "$1" 2>/dev/null || :'

function run(label: string, guards: readonly Check[], script: string, args: readonly string[], timeoutMs = minuteMs): RunStep {
  return { do: 'run', label, guards, script, args, timeoutMs }
}

function onServer(step: RunStep): RunStep {
  return { ...step, server: true }
}
