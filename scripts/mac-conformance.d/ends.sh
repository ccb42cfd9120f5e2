# shellcheck shell=sh disable=SC2015,SC2317,SC2329
# How a process exits, and what launchd does then: KeepAlive, the throttle, kickstart. Three jobs wait for their ten seconds in parallel.

crash=$base.$$.crash

kickstart_leaves() {
  call kickstart -p "$domain/$main"
  observed "$code, printed $said"
  one_of "$code" 0 37 && [ "$said" = "$(latest main pid)" ] && ! has_started main 2 && is_alive "$said"
}

# Two are killed as soon as they run, and one is made to exit with 0.
waits_to_come_back() {
  write_agent crash plain
  write_agent slow plain '<key>ThrottleInterval</key><integer>15</integer>'
  start_agent slow && start_agent crash || return
  kill -9 "$(latest crash pid)" "$(latest slow pid)"
  child=$(latest main child)
  kill -USR1 "$(latest main pid)"
  within 5 waits "$crash"
  observed "$(state)"
  if [ -n "$(field 'pended nondemand spawn')" ]; then
    held_starts=$(field 'pended nondemand spawn')
    skip "launchd holds it back: $(state)"
    return
  fi
  [ "$(field state)" = 'spawn scheduled' ]
}

waits() {
  state_is "$1" 'spawn scheduled' || [ -n "$(field 'pended nondemand spawn')" ]
}

# comes_back NAME TIMES WORDS: it is started again, and print shows the previous exit beside its pid
comes_back() {
  has_started "$1" 1 || {
    skip 'it never ran'
    return
  }
  within 30 settled "$base.$$.$1" "$1" "$2"
  look "$base.$$.$1"
  observed "$(state)"
  if [ -n "$(field 'pended nondemand spawn')" ]; then
    skip "launchd holds it back: $(state)"
    return
  fi
  has_started "$1" "$2" && [ "$(field pid)" = "$(latest "$1" pid)" ] && [ "$(last_exit)" = "$3" ]
}

# Compares the intervals with each other, not with the clock.
throttle_counts() {
  comes_back slow 2 'last terminating signal = Killed: 9' || return
  gaps=$(cat "$folder/crash.started" "$folder/slow.started" | awk '
    $1 == "at" { at[++rows] = $2 }
    END { short = at[2] - at[1]; long = at[4] - at[3]; printf "%.1f %.1f %d", short, long, long * 100 / short }')
  observed "seconds between two starts: ${gaps% *}"
  [ "${gaps##* }" -ge 110 ] && [ "${gaps##* }" -le 220 ]
}

# It stays down while the others come back.
stays_down() {
  within 5 is_down "$main"
  observed "$(state)"
  [ "$code" = 0 ] && [ "$(field state)" = 'not running' ] && [ "$(last_exit)" = 'last exit code = 0' ] &&
    [ -z "$(field 'pended nondemand spawn')" ] && ! has_started main 2
}

group_ended() {
  within 5 child_ended main || {
    kill "$child"
    fail "process $child still ran"
  }
}

# It is started again, and made to exit with 3.
comes_back_after_3() {
  kick "$main" main 2 || return
  kill -USR2 "$(latest main pid)"
  call kill SIGTERM "$domain/$crash"
  comes_back main 3 'last exit code = 3'
}

signal_is_shown() {
  comes_back crash 3 'last terminating signal = Terminated: 15'
}

# launchd says that it runs before it has recorded its start.
is_recorded() {
  look "$main"
  [ -n "$(field pid)" ] && [ "$(field pid)" = "$(latest main pid)" ]
}

# It runs from here on, whether starts are held back or not.
restarts() {
  ctl kickstart "$domain/$main" >/dev/null 2>&1
  within 20 is_recorded
  count_starts main
  before=$(latest main pid) times=$starts
  call kickstart -k "$domain/$main"
  within 30 has_started main "$((times + 1))"
  look "$main"
  observed "$code${said:+: $said}; $(state)"
  [ "$code" = 0 ] && [ "$(field pid)" = "$(latest main pid)" ] && [ "$(field pid)" != "$before" ] && ! is_alive "$before"
}

old_arguments() {
  words=$(ps -axww -o pid=,ppid=,user=,rss=,lstart=,command= | awk -v pid="$(latest main pid)" '$1 == pid')
  case $words in *" polite "*) ;; *) fail "it runs as $words" ;; esac
}

# A server that exits with 0 on SIGTERM.
stop_is_success() {
  call kill SIGTERM "$domain/$main"
  [ "$code" = 0 ] || {
    fail "kill: $code: $said"
    return
  }
  within 15 is_down "$main"
  observed "$(state)"
  [ "$(field state)" = 'not running' ] && [ "$(last_exit)" = 'last exit code = 0' ]
}

no_process_to_signal() {
  call kill SIGTERM "$domain/$main"
  observed "$code: $said"
  [ "$code" = 3 ]
}

section 'exits and restarts'
try_main 'kickstart without -k leaves a running job alone' kickstart_leaves
try_main 'after SIGKILL its next start waits for the throttle: state = spawn scheduled' waits_to_come_back
try_agents 'then it is started again; last terminating signal = Killed: 9 is that of the previous run' comes_back crash 2 'last terminating signal = Killed: 9'
try_agents 'ThrottleInterval is the time between two starts, 10 by default' throttle_counts
try_main 'after exit 0 it stays loaded and down' stays_down
try_main 'and the rest of its process group ends with it' group_ended
try_main 'after exit 3 it is started again: last exit code = 3' comes_back_after_3
try_agents 'an exit by SIGTERM is no success: last terminating signal = Terminated: 15, and it is started again' signal_is_shown
try_main 'kickstart -k replaces the process' restarts
try_main 'with the loaded arguments, although the file has changed' old_arguments
try_main 'launchctl kill SIGTERM, and exit 0: it stays loaded and down' stop_is_success
try_main 'kill ends with 3 without a process' no_process_to_signal
