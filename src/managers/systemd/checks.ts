import type { Check } from '../../model/step.ts'
import { digestFunction } from '../linux-checks.ts'

export function systemdRuns(unit: string): Check {
  return {
    label: 'systemd runs this host',
    script: `[ -d /run/systemd/system ] || { echo "it does not"; exit 1; }
systemctl show -p LoadState "$1" >/dev/null`,
    args: [unit],
    answers: true,
  }
}

/** systemd reads, or would read, the unit from our path: a unit from elsewhere belongs to a package or a person. */
export function unitComesFrom(unit: string, path: string): Check {
  return {
    label: `${unit} comes from ${path} or does not exist yet`,
    script: fromThere,
    args: [unit, path],
  }
}

/** A definition on disk, and what makes it ours. */
export interface OwnFile {
  readonly path: string
  readonly ownershipLabel: string
  /** SHA-256 of a definition that was adopted as it is, without a label. Absent: it was not adopted. */
  readonly adopted?: string
}

/** The action touches only our unit. A missing file is fine, as long as systemd loaded the unit from our path. */
export function unitIsOurs({ unit, path, ownershipLabel, adopted }: OwnFile & { readonly unit: string }): Check {
  return {
    label: `${unit} is still the one that converge ${adopted === undefined ? 'wrote' : 'adopted'}`,
    script: `${adopted === undefined ? '' : `${digestFunction}\n`}if [ -e "$2" ] || [ -L "$2" ]; then
  ${isOwnFile('$2', '$3', adopted === undefined ? undefined : '$4')} || { echo "$2 does not carry the ownership label $3"; exit 1; }
fi
${fromThere}`,
    args: [unit, path, ownershipLabel, ...(adopted === undefined ? [] : [adopted])],
  }
}

/** Before it is deleted. */
export function fileIsOurs({ path, ownershipLabel, adopted }: OwnFile): Check {
  return {
    label: `${path} is still the one that converge ${adopted === undefined ? 'wrote' : 'adopted'}`,
    script: `${adopted === undefined ? '' : `${digestFunction}\n`}[ -e "$1" ] || [ -L "$1" ] || exit 0
${isOwnFile('$1', '$2', adopted === undefined ? undefined : '$3')} || { echo "$1 does not carry the ownership label $2"; exit 1; }`,
    args: [path, ownershipLabel, ...(adopted === undefined ? [] : [adopted])],
  }
}

/**
 * Shell for actions that must leave foreign files alone: `whose PATH LABEL [DIGEST]` returns 0 for ours, 1 for a foreign one, and anything else
 * where the file cannot be read.
 */
export function whose(adopted: string | undefined): string {
  const isLabelled = 'grep -qxF -e "# converge: managed $2" "$1"'
  return `${adopted === undefined ? '' : `${digestFunction}\n`}whose() {
  if [ -L "$1" ] || [ ! -f "$1" ]; then return 1; fi
  ${adopted === undefined ? isLabelled : `${isLabelled} || [ "$(digest "$1")" = "$3" ]`}
}
`
}

/** The arguments are names of positional parameters. */
function isOwnFile(path: '$1' | '$2', ownershipLabel: '$2' | '$3', adopted: '$3' | '$4' | undefined): string {
  const isLabelled = `grep -qxF -e "# converge: managed ${ownershipLabel}" "${path}"`
  const isOwn = adopted === undefined ? isLabelled : `{ ${isLabelled} || [ "$(digest "${path}")" = "${adopted}" ]; }`
  return `{ [ ! -L "${path}" ] && [ -f "${path}" ] && ${isOwn}; }`
}

const fromThere = `from=$(systemctl show -p FragmentPath "$1") || exit 1
case $from in FragmentPath= | "FragmentPath=$2") ;; *) echo "systemd has it from \${from#*=}"; exit 1 ;; esac`

/** The process is still the unit's, so that the action touches no other one. */
export function unitHolds(unit: string, pid: number): Check {
  return {
    label: `process ${pid} is still the main process of ${unit}`,
    script: `now=$(systemctl show -p MainPID "$1") || exit 1
[ "$now" = "MainPID=$2" ] || { echo "it is now $now"; exit 1; }`,
    args: [unit, String(pid)],
  }
}

export function unitDown(unit: string): Check {
  return {
    label: `${unit} does not run`,
    script: isDown,
    args: [unit],
  }
}

/** For the unit `$1`. */
export const isDown = `now=$(systemctl show -p ActiveState "$1") || exit 1
case $now in ActiveState=inactive | ActiveState=failed) ;; *) echo "it is now $now"; exit 1 ;; esac`

/** Up for some seconds with the same process; on failure shows the end of its log. */
export function unitStaysUp(unit: string): Check {
  return {
    label: `${unit} runs and is not restarted`,
    script: `first=
for second in 1 2 3 4; do
  now=$(systemctl show -p ActiveState -p MainPID "$1") || exit 1
  state='' pid=''
  for line in $now; do
    case $line in ActiveState=*) state=$line ;; MainPID=*) pid=$line ;; esac
  done
  case "$state $pid" in
    *" MainPID=0") bad="it has no process" ;;
    "ActiveState=active MainPID="*) bad= ;;
    *) bad="it is now $state" ;;
  esac
  [ -z "$first" ] || [ "$first" = "$pid" ] || bad="it was restarted: $first, then $pid"
  if [ -n "$bad" ]; then
    echo "$bad"
    # Its last lines may still be on their way.
    timeout 5 journalctl --sync 2>/dev/null
    journalctl -u "$1" -n 8 --no-pager -o cat 2>/dev/null
    exit 1
  fi
  first=$pid
  [ "$second" = 4 ] || sleep 1
done`,
    args: [unit],
  }
}

/** @param wanted whether it should start at boot */
export function unitEnabled(unit: string, wanted: boolean): Check {
  return {
    label: wanted ? `${unit} starts at boot` : `${unit} does not start at boot`,
    script: wanted ? `systemctl is-enabled --quiet "$1" || { echo "it is not enabled"; exit 1; }` : isNotEnabled,
    args: [unit],
  }
}

/**
 * For the unit `$1`. A unit without a file is `not-found` since systemd 253, and before that an error about its state; any other error is a
 * failure. A missing bus also reads `No such file or directory`, so these words alone prove nothing.
 */
export const isNotEnabled = `if now=$(systemctl is-enabled "$1" 2>&1); then echo "it is enabled: $now"; exit 1; fi
case $now in
  *disabled | *linked | *linked-runtime | *masked | *masked-runtime | *not-found | bad) ;;
  *'unit file state'*'No such file or directory'*) ;;
  *) printf '%s\\n' "$now"; exit 1 ;;
esac`

/** systemd has read the current file, and can use it. */
export function unitLoaded(unit: string): Check {
  return {
    label: `systemd has read ${unit}`,
    script: `now=$(systemctl show -p LoadState -p NeedDaemonReload "$1") || exit 1
case $now in *NeedDaemonReload=yes*) echo "it still has the old one"; exit 1 ;; *LoadState=loaded*) ;; *) echo "it is now $now"; exit 1 ;; esac`,
    args: [unit],
  }
}

/** Checks both: the file may be gone while the server still runs, as after a stop that falsely reported success. */
export function unitGone(unit: string): Check {
  return {
    label: `systemd has no unit ${unit}, and it does not run`,
    script: `now=$(systemctl show -p LoadState -p ActiveState "$1") || exit 1
case $now in *LoadState=not-found*) ;; *) echo "it is now $now"; exit 1 ;; esac
case $now in *ActiveState=inactive* | *ActiveState=failed*) ;; *) echo "its file is gone, and it is now $now"; exit 1 ;; esac`,
    args: [unit],
  }
}

/** The server reads its key file itself, so its account needs access to every folder above it. */
export function accountReads(account: string, path: string): Check {
  return {
    label: `the account ${account} can read its key file`,
    script: `command -v runuser >/dev/null 2>&1 || exit 0
runuser -u "$1" -- test -r "$2" || { echo "$1 cannot read $2: a folder above it may be closed to this account"; exit 1; }`,
    args: [account, path],
  }
}
