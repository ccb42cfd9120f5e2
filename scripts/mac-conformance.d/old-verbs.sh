# shellcheck shell=sh disable=SC2015,SC2317,SC2329
# The verbs from before 10.10, and why converge does not use them: they act on the caller's session and always end with 0.

load_says_0() {
  call load "$folder/none.plist"
  observed "$code: $said"
  [ "$code" = 0 ]
}

unload_says_0() {
  write_agent old polite
  call unload "$folder/old.plist"
  observed "$code: $said"
  [ "$code" = 0 ]
}

# says_0 VERB
says_0() {
  call "$1" "$base.none"
  observed "$code${said:+: $said}"
  [ "$code" = 0 ]
}

list_columns() {
  words=$(ctl list)
  odd=$(printf '%s\n' "$words" | sed 1d | grep -Evx "(-|[0-9]+)$tab(-|-?[0-9]+)$tab.+" | head -n 1)
  [ "$(printf '%s\n' "$words" | sed -n 1p)" = "PID${tab}Status${tab}Label" ] && [ -z "$odd" ] || fail "it has the line $odd"
}

list_of_desktop() {
  only Aqua || return
  call list "$main"
  case $said in *"\"PID\" = $(latest main pid);"*) [ "$code" = 0 ] && return ;; esac
  fail "$code: $said"
}

list_elsewhere() {
  only other || return
  call list "$main"
  observed "$code: $said"
  [ "$code" = 113 ]
}

stop_elsewhere() {
  only other || return
  call stop "$main"
  ended_with=$code
  look "$main"
  observed "$ended_with${said:+: $said}"
  [ "$ended_with" = 0 ] && [ "$(field pid)" = "$(latest main pid)" ]
}

load_elsewhere() {
  only other || return
  call load "$folder/old.plist"
  load_code=$code
  is_gone "$base.$$.old"
  gone=$?
  ctl unload "$folder/old.plist" >/dev/null 2>&1
  observed "$load_code: $said"
  [ "$load_code" = 0 ] && [ "$gone" = 0 ]
}

load_at_desktop() {
  only Aqua || return
  call load "$folder/old.plist"
  [ "$code" = 0 ] && within 15 has_started old 1 || {
    look "$base.$$.old"
    fail "load: $code: $said; $(state)"
  }
}

load_again() {
  only Aqua || return
  call load "$folder/old.plist"
  observed "$code: $said"
  [ "$code" = 0 ] && [ -n "$said" ]
}

stop_at_desktop() {
  only Aqua || return
  call stop "$base.$$.old"
  ended_with=$code
  within 15 is_down "$base.$$.old"
  observed "$ended_with${said:+: $said}; $(state)"
  [ "$ended_with" = 0 ] && [ "$(last_exit)" = 'last exit code = 0' ]
}

unload_at_desktop() {
  only Aqua || return
  call unload "$folder/old.plist"
  ended_with=$code
  within 15 is_gone "$base.$$.old" && [ "$ended_with" = 0 ] || fail "unload: $ended_with: $said; $(state)"
}

# only Aqua|other: whether this session is of that kind
only() {
  case $1,$session in
    Aqua,Aqua) ;;
    Aqua,*) skip "from a session of kind $session" ;;
    other,Aqua) skip 'from the desktop' ;;
    *) ;;
  esac
}

section 'old verbs'
try_agents 'load ends with 0 for a missing file' load_says_0
try_agents 'unload ends with 0 for a job that is not loaded' unload_says_0
try_agents 'start ends with 0 for an unknown label' says_0 start
try_agents 'stop ends with 0 for an unknown label' says_0 stop
try_agents 'list prints PID, Status and Label behind tabs' list_columns
try_main 'at the desktop, list LABEL prints its pid' list_of_desktop
try_main 'elsewhere, list LABEL misses agents of the desktop: 113' list_elsewhere
try_main 'elsewhere, stop LABEL ends with 0 and stops no agent of the desktop' stop_elsewhere
try_agents 'elsewhere, load ends with 0 and loads nothing for the desktop' load_elsewhere
try_agents 'at the desktop, load starts what KeepAlive starts' load_at_desktop
try_agents 'at the desktop, load of a loaded job ends with 0, and complains' load_again
try_agents 'at the desktop, stop leaves it loaded and down' stop_at_desktop
try_agents 'at the desktop, unload removes it' unload_at_desktop
