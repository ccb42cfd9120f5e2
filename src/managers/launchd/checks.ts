import type { Check } from '../../model/step.ts'
import { digestFunction } from '../linux-checks.ts'
import { withAgentFunctions } from './agent-functions.ts'
import { domainWord, domainWords, type JobName } from './domain.ts'

export interface OwnAgent extends JobName {
  /** Of the property list. */
  readonly path: string
  readonly ownershipLabel: string
  /** SHA-256 of a property list that was adopted as it is, without an ownership label. Absent: it was not adopted. */
  readonly adopted?: string
}

/** The action touches only our job: launchd loaded it from our file or not at all, and the file carries our ownership label. */
export function agentIsOurs(own: OwnAgent): Check {
  const file = plistIsOurs(own)
  const { functions, script } = ownFile(own)
  return { ...file, script: withAgentFunctions(`${functions}${script}\n${fromThere}`, own.domain) }
}

/** The same for its file alone, where its domain does not exist: no user is logged in at the screen. */
export function plistIsOurs(own: OwnAgent): Check {
  const { label, domain, path, ownershipLabel, adopted } = own
  const { functions, script } = ownFile(own)
  return {
    label: `the ${domainWords[domain].job} ${label} is still the one that converge ${adopted === undefined ? 'wrote' : 'adopted'}`,
    script: `${functions}${script}`,
    args: [label, path, ownershipLabel, ...(adopted === undefined ? [] : [adopted])],
  }
}

function ownFile({ adopted }: OwnAgent): { readonly functions: string; readonly script: string } {
  const isLabelled = 'grep -qF -e "<!-- converge: managed $3 -->" "$2"'
  const isOwn = adopted === undefined ? isLabelled : `{ ${isLabelled} || [ "$(digest "$2")" = "$4" ]; }`
  return {
    functions: adopted === undefined ? '' : `${digestFunction}\n`,
    script: `if [ -e "$2" ] || [ -L "$2" ]; then
  { [ ! -L "$2" ] && [ -f "$2" ] && ${isOwn}; } || { echo "$2 does not carry the ownership label $3"; exit 1; }
fi`,
  }
}

/** Before writing: a job of that label from another path is foreign. */
export function agentComesFrom({ domain, label, path }: JobName & Pick<OwnAgent, 'path'>): Check {
  return {
    label: `the ${domainWords[domain].job} ${label} comes from ${path} or does not exist yet`,
    script: withAgentFunctions(fromThere, domain),
    args: [label, path],
  }
}

const fromThere = `look_at "$1" || exit 1
from=$(printf '%s\\n' "$job" | sed -n 's/^\tpath = //p')
case $from in '' | "$2") ;; *) echo "launchd has it from $from"; exit 1 ;; esac`

/** For agents a user is logged in at the screen; otherwise their domain does not exist. */
export function domainThere(domain: JobName['domain']): Check {
  return {
    label: domain === 'gui' ? 'the account is logged in at the console' : 'launchd answers about the system',
    script: `domain=${domainWord[domain]}
said=$(launchctl print "$domain" 2>&1) || { printf '%s\\n' "$said" | head -n 2; exit 1; }`,
    args: [],
    answers: true,
  }
}

/** No user has logged in meanwhile: the login would have started the agent. */
export function noSession(): Check {
  return {
    label: 'there is still no user at the console',
    script: `said=$(launchctl print "${domainWord.gui}" 2>&1)
case $? in 112 | 125) ;; *) printf '%s\\n' "$said" | head -n 2; exit 1 ;; esac`,
    args: [],
  }
}

/** The server opens its key itself, so its account needs access to every folder above it. */
export function accountReads(account: string, path: string): Check {
  return {
    label: `the account ${account} can read its key file`,
    script: `sudo -n -u "$1" /bin/sh -c 'test -r "$1"' sh "$2" || { echo "$1 cannot read $2: a folder above it may be closed to this account"; exit 1; }`,
    args: [account, path],
  }
}

export function agentHolds({ domain, label }: JobName, pid: number): Check {
  return {
    label: `process ${pid} is still the one of ${label}`,
    script: withAgentFunctions(
      `look_at "$1" || exit 1
[ "$(pid)" = "$2" ] || { echo "its process is now $(pid)"; exit 1; }`,
      domain,
    ),
    args: [label, String(pid)],
  }
}

/** Loaded or not, it does not run, and launchd is not about to start it. */
export function agentDown({ domain, label }: JobName): Check {
  return {
    label: `${label} does not run`,
    script: withAgentFunctions(
      `look_at "$1" || exit 1
[ -z "$(pid)" ] || { echo "it runs as $(pid)"; exit 1; }
case $(state) in 'spawn scheduled' | spawning | xpcproxy) echo "launchd is about to start it"; exit 1 ;; esac`,
      domain,
    ),
    args: [label],
  }
}

/** The same, and launchd has no reason to start it later. */
export function agentStaysDown({ domain, label }: JobName): Check {
  return {
    label: `${label} does not run, and is not started again`,
    script: withAgentFunctions(
      `look_at "$1" || exit 1
[ -z "$job" ] || stays_down || { echo "launchd would start it again: $(state), $(last_exit)"; exit 1; }`,
      domain,
    ),
    args: [label],
  }
}

export function agentGone({ domain, label }: JobName): Check {
  return {
    label: `launchd has no ${label}`,
    script: withAgentFunctions(
      `look_at "$1" || exit 1
[ -z "$job" ] || { echo "it still exists: $(state)"; exit 1; }`,
      domain,
    ),
    args: [label],
  }
}

/** Up for some seconds with the same process; on failure shows the end of its log. */
export function agentStaysUp({ domain, label }: JobName, log: string): Check {
  return {
    label: `${label} runs and is not restarted`,
    script: withAgentFunctions(
      `first=
for second in 1 2 3 4; do
  look_at "$1" || exit 1
  now=$(pid) bad=
  if [ -z "$now" ]; then bad="it has no process: $(state), $(last_exit)"; fi
  if [ -n "$first" ] && [ "$now" != "$first" ]; then bad="it was restarted: $first, then \${now:-none}"; fi
  if [ -n "$bad" ]; then
    echo "$bad"
    [ -L "$2" ] || [ ! -f "$2" ] || tail -n 8 "$2"
    exit 1
  fi
  first=$now
  [ "$second" = 4 ] || sleep 1
done`,
      domain,
    ),
    args: [label, log],
  }
}

/** @param wanted whether every login, or boot, should start it: its KeepAlive does so unless the label is disabled */
export function startsAtLogin({ domain, label }: JobName, wanted: boolean): Check {
  const when = domainWords[domain].start
  return {
    label: wanted ? `${label} starts at ${when}` : `${label} does not start at ${when}`,
    script: `domain=${domainWord[domain]}
list=$(launchctl print-disabled "$domain") || exit 1
if printf '%s\\n' "$list" | grep -q -e "\\"$1\\" => disabled" -e "\\"$1\\" => true"; then now=no; else now=yes; fi
[ "$now" = "$2" ] || { echo "starts at ${when}: $now"; exit 1; }`,
    args: [label, wanted ? 'yes' : 'no'],
  }
}
