# shellcheck shell=sh disable=SC2015,SC2317,SC2329
# Booting out: bootout returns before the process exits, and launchd refuses requests until then. src/managers/launchd/agent-functions.ts.

deaf=$base.$$.deaf deaf_pid=

answers_early() {
  write_agent deaf deaf '<key>ExitTimeOut</key><integer>20</integer>'
  start_agent deaf || return
  deaf_pid=$(latest deaf pid)
  call bootout "$domain/$deaf"
  observed "it was $code"
  one_of "$code" 0 36 && is_alive "$deaf_pid"
}

# While the process runs.
draining() {
  [ -n "$deaf_pid" ] && is_alive "$deaf_pid" || skip 'its process has already exited'
}

still_printed() {
  look "$deaf"
  draining || return
  observed "$(state)"
  [ "$code" = 0 ] || fail "$code: $job"
}

# meanwhile CODES VERB…
meanwhile() {
  codes=$1
  shift
  call "$@"
  draining || return
  observed "$code: $said"
  # shellcheck disable=SC2086
  one_of "$code" $codes
}

killed_in_the_end() {
  [ -n "$deaf_pid" ] || {
    skip 'it never ran'
    return
  }
  within 40 is_gone "$deaf" || {
    fail "after 40 seconds print ends with $code"
    return
  }
  observed "print: $code"
  [ "$code" = 113 ] && ! is_alive "$deaf_pid"
}

goes_at_once() {
  call kickstart "$domain/$main"
  within 20 state_is "$main" running
  gone_pid=$(field pid)
  [ -n "$gone_pid" ] || {
    skip 'it never ran'
    return
  }
  call bootout "$domain/$main"
  within 15 is_gone "$main"
  observed "print: $code"
  [ "$code" = 113 ] && ! is_alive "$gone_pid"
}

boots_out_no_more() {
  call bootout "$domain/$main"
  observed "$code: $said"
  [ "$code" = 3 ]
}

loads_anew() {
  call bootstrap "$domain" "$folder/main.plist"
  [ "$code" = 0 ] || {
    fail "bootstrap: $code: $said"
    return
  }
  look "$main"
  block arguments | grep -qx 'polite-and-changed' || fail "its arguments are $(block arguments)"
}

section 'booting out'
try_agents 'bootout ends, with 0 or 36, before a process that ignores SIGTERM has exited' answers_early
try_agents 'until then print ends with 0' still_printed
try_agents 'another bootout ends with 36, 37 or 5' meanwhile '36 37 5' bootout "$domain/$deaf"
try_agents 'bootstrap ends with 5 or 37' meanwhile '5 37' bootstrap "$domain" "$folder/deaf.plist"
try_agents 'after ExitTimeOut the process is killed, and print ends with 113' killed_in_the_end
try_main 'a process that exits on SIGTERM is gone soon: print ends with 113' goes_at_once
try_main 'then bootout ends with 3' boots_out_no_more
try_main 'and bootstrap with 0: it loads the definition from the file' loads_anew
