import type { LaunchdDomain } from '../../model/names.ts'
import { portFunction } from '../macos-checks.ts'
import { domainWord } from './domain.ts'

/**
 * Shell functions for actions on jobs of a domain. An account's agents are in the gui domain of its login, which exists while the account is logged in
 * at the screen; over SSH, `list` and the legacy verbs would silently use another domain.
 *
 * - `look_at LABEL` sets `$job` to the output of launchd, empty if not loaded; other failures are printed and return 1.
 * - `pid` and `state` print those of `$job`: only lines with exactly one tab belong to the job itself.
 * - `stays_down` after `look_at`: nothing runs, and launchd has no reason to start it again, now or later.
 * - `ask_to_end LABEL SECONDS` signals its process once, because a second signal makes a server exit at once with a failure, and waits until that
 *   process is gone, or the time is up.
 * - `unload LABEL SECONDS` waits for the end: bootout returns before the process ends, and fails with 36 or 5 until then.
 * - `load LABEL PLIST` retries for a while: bootstrap fails with 5 for many reasons, among them a label that was just unloaded; a disabled
 *   label must be enabled first.
 * - `run LABEL SECONDS` starts it and waits for its process; kickstart releases a start that launchd delays.
 */
const functions = {
  port_taken: portFunction,
  domain: '',
  look_at: `look_at() {
  job=$(launchctl print "$domain/$1" 2>&1)
  case $? in
    0) ;;
    113) job= ;;
    *) echo "launchctl print $domain/$1: $job"; job=; return 1 ;;
  esac
}`,
  pid: `pid() { printf '%s\\n' "$job" | sed -n 's/^\tpid = \\([0-9][0-9]*\\)$/\\1/p'; }`,
  state: `state() { printf '%s\\n' "$job" | sed -n 's/^\tstate = //p'; }`,
  last_exit: `last_exit() {
  for end in 'exit code' 'exit reason' 'terminating signal'; do
    printf '%s\\n' "$job" | sed -n "s/^\t\\(last $end = .*\\)$/\\1/p"
  done
}`,
  stays_down: `stays_down() {
  [ -z "$(pid)" ] || return 1
  case $(state) in running | 'spawn scheduled' | spawning | xpcproxy) return 1 ;; esac
  if printf '%s\\n' "$job" | grep -q '^\tpended nondemand spawn = '; then return 1; fi
  case $(last_exit) in 'last exit code = 0' | 'last exit code = (never exited)') ;; *) return 1 ;; esac
}`,
  ask_to_end: `ask_to_end() {
  look_at "$1" || return 1
  old=$(pid) waited=0
  [ -n "$old" ] || return 0
  said=$(launchctl kill SIGTERM "$domain/$1" 2>&1)
  while look_at "$1" || return 1; [ "$(pid)" = "$old" ] && [ "$waited" -lt "$2" ]; do
    waited=$((waited + 1))
    sleep 1
  done
}`,
  unload: `unload() {
  waited=0 said=
  while look_at "$1" || return 1; [ -n "$job" ]; do
    if [ "$waited" -ge "$2" ]; then echo "launchd still has it after $2 s. $said"; return 1; fi
    case $((waited % 5)) in 0) said=$(launchctl bootout "$domain/$1" 2>&1) ;; esac
    waited=$((waited + 1))
    sleep 1
  done
}`,
  load: `load() {
  tries=0
  until said=$(launchctl bootstrap "$domain" "$2" 2>&1); do
    look_at "$1" || return 1
    if [ -n "$job" ]; then return 0; fi
    tries=$((tries + 1))
    if [ "$tries" -ge 15 ]; then echo "$said"; return 1; fi
    sleep 1
  done
}`,
  run: `run() {
  waited=0
  while :; do
    case $((waited % 5)) in 0) said=$(launchctl kickstart "$domain/$1" 2>&1) ;; esac
    look_at "$1" || return 1
    if [ -n "$(pid)" ]; then return 0; fi
    if [ "$waited" -ge "$2" ]; then echo "it has no process: $(state), $(last_exit). $said"; return 1; fi
    waited=$((waited + 1))
    sleep 1
  done
}`,
  wait_for_port: `wait_for_port() {
  waited=0
  while port_taken "$1"; do
    if [ "$waited" -ge "$2" ]; then echo "something still listens on port $1"; return 1; fi
    waited=$((waited + 1))
    sleep 1
  done
}`,
} as const

type Name = keyof typeof functions

/** Prepends the functions that a script uses, directly or indirectly, for jobs of a domain. */
export function withAgentFunctions(script: string, domain: LaunchdDomain): string {
  const own = { ...functions, domain: `domain=${domainWord[domain]}` }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its own keys
  const names = Object.keys(functions) as Name[]
  const used = new Set<Name>()
  const use = (text: string): void => {
    for (const name of names) {
      if (used.has(name) || !new RegExp(`\\b${name}\\b`).test(text)) continue
      used.add(name)
      use(own[name])
    }
  }
  use(script)
  return [...names.filter((name) => used.has(name)).map((name) => own[name]), script.trimStart()].join('\n')
}
