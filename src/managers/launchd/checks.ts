import type { Check } from '../../model/step.ts'
import { digestFunction } from '../linux-checks.ts'
import { guiDomain, withAgentFunctions } from './agent-functions.ts'

export interface OwnAgent {
  readonly label: string
  /** Of the property list. */
  readonly path: string
  readonly ownershipLabel: string
  /** SHA-256 of a property list that was adopted as it is, without an ownership label. Absent: it was not adopted. */
  readonly adopted?: string
}

/** The action touches only our agent: launchd loaded it from our file or not at all, and the file carries our ownership label. */
export function agentIsOurs({ label, path, ownershipLabel, adopted }: OwnAgent): Check {
  const isLabelled = 'grep -qF -e "<!-- converge: managed $3 -->" "$2"'
  const isOwn = adopted === undefined ? isLabelled : `{ ${isLabelled} || [ "$(digest "$2")" = "$4" ]; }`
  return {
    label: `the agent ${label} is still the one that converge ${adopted === undefined ? 'wrote' : 'adopted'}`,
    script: withAgentFunctions(`${adopted === undefined ? '' : `${digestFunction}\n`}if [ -e "$2" ] || [ -L "$2" ]; then
  { [ ! -L "$2" ] && [ -f "$2" ] && ${isOwn}; } || { echo "$2 does not carry the ownership label $3"; exit 1; }
fi
${fromThere}`),
    args: [label, path, ownershipLabel, ...(adopted === undefined ? [] : [adopted])],
  }
}

/** Before writing: a job of that label from another path is foreign. */
export function agentComesFrom(label: string, path: string): Check {
  return {
    label: `the agent ${label} comes from ${path} or does not exist yet`,
    script: withAgentFunctions(fromThere),
    args: [label, path],
  }
}

const fromThere = `look_at "$1" || exit 1
from=$(printf '%s\\n' "$job" | sed -n 's/^\tpath = //p')
case $from in '' | "$2") ;; *) echo "launchd has it from $from"; exit 1 ;; esac`

/** A user is logged in at the screen; otherwise there is no domain for agents. */
export function domainThere(): Check {
  return {
    label: 'the account is logged in at the console',
    script: `domain=${guiDomain}
said=$(launchctl print "$domain" 2>&1) || { printf '%s\\n' "$said" | head -n 2; exit 1; }`,
    args: [],
    answers: true,
  }
}

export function agentHolds(label: string, pid: number): Check {
  return {
    label: `process ${pid} is still the one of ${label}`,
    script: withAgentFunctions(`look_at "$1" || exit 1
[ "$(pid)" = "$2" ] || { echo "its process is now $(pid)"; exit 1; }`),
    args: [label, String(pid)],
  }
}

/** Loaded or not, it does not run, and launchd is not about to start it. */
export function agentDown(label: string): Check {
  return {
    label: `${label} does not run`,
    script: withAgentFunctions(`look_at "$1" || exit 1
[ -z "$(pid)" ] || { echo "it runs as $(pid)"; exit 1; }
case $(state) in 'spawn scheduled' | spawning | xpcproxy) echo "launchd is about to start it"; exit 1 ;; esac`),
    args: [label],
  }
}

/** The same, and launchd has no reason to start it later. */
export function agentStaysDown(label: string): Check {
  return {
    label: `${label} does not run, and is not started again`,
    script: withAgentFunctions(`look_at "$1" || exit 1
[ -z "$job" ] || stays_down || { echo "launchd would start it again: $(state), $(last_exit)"; exit 1; }`),
    args: [label],
  }
}

export function agentGone(label: string): Check {
  return {
    label: `launchd has no ${label}`,
    script: withAgentFunctions(`look_at "$1" || exit 1
[ -z "$job" ] || { echo "it still exists: $(state)"; exit 1; }`),
    args: [label],
  }
}

/** Up for some seconds with the same process; on failure shows the end of its log. */
export function agentStaysUp(label: string, log: string): Check {
  return {
    label: `${label} runs and is not restarted`,
    script: withAgentFunctions(`first=
for second in 1 2 3 4; do
  look_at "$1" || exit 1
  now=$(pid) bad=
  if [ -z "$now" ]; then bad="it has no process: $(state), $(last_exit)"; fi
  if [ -n "$first" ] && [ "$now" != "$first" ]; then bad="it was restarted: $first, then \${now:-none}"; fi
  if [ -n "$bad" ]; then
    echo "$bad"
    tail -n 8 "$2" 2>/dev/null
    exit 1
  fi
  first=$now
  [ "$second" = 4 ] || sleep 1
done`),
    args: [label, log],
  }
}

/** @param wanted whether every login should start it: its KeepAlive does so unless the label is disabled */
export function startsAtLogin(label: string, wanted: boolean): Check {
  return {
    label: wanted ? `${label} starts at login` : `${label} does not start at login`,
    script: `domain=${guiDomain}
list=$(launchctl print-disabled "$domain") || exit 1
if printf '%s\\n' "$list" | grep -q -e "\\"$1\\" => disabled" -e "\\"$1\\" => true"; then now=no; else now=yes; fi
[ "$now" = "$2" ] || { echo "starts at login: $now"; exit 1; }`,
    args: [label, wanted ? 'yes' : 'no'],
  }
}
