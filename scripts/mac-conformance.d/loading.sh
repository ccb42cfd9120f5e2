# shellcheck shell=sh disable=SC2015,SC2317,SC2329
# Loading, and that loading starts: src/managers/launchd/agent-functions.ts, loadingStarts. `main` runs from here to booting-out.sh.

main=$base.$$.main
# A free port.
main_port=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport')
# Why it is missing, if it is.
no_main=
# Why launchd holds automatic starts back, if it does.
held_starts=

loads() {
  write_agent main polite "<key>ExitTimeOut</key><integer>10</integer>
	<key>EnvironmentVariables</key><dict><key>CONVERGE_SEEN</key><string>two words</string></dict>"
  call bootstrap "$domain" "$folder/main.plist"
  if [ "$code" = 0 ]; then return; fi
  fail "$code: $said"
  # As converge does: a temporary failure must not prevent the other checks.
  within 10 ctl bootstrap "$domain" "$folder/main.plist" >/dev/null 2>&1 || no_main='its agent could not be loaded'
  return 1
}

# Starts a job that does not start by itself, for the other checks.
loading_starts() {
  within 15 settled "$main" main 1
  look "$main"
  held_starts=$(field 'pended nondemand spawn')
  if has_started main 1; then return; fi
  seen_state=$(state)
  kick "$main" main 1
  if [ -n "$held_starts" ]; then skip "launchd holds it back: $seen_state"; else fail "$seen_state"; fi
}

held_is_shown() {
  if [ -z "$held_starts" ]; then
    skip 'nothing was held back'
    return
  fi
  has_started main 1 || {
    fail "kickstart did not start it: $(state)"
    return
  }
  look "$main"
  observed "it was $held_starts"
  [ -z "$(field 'pended nondemand spawn')" ]
}

down_without_keepalive() {
  write_agent idle polite '' ''
  call bootstrap "$domain" "$folder/idle.plist"
  [ "$code" = 0 ] || {
    fail "bootstrap: $code: $said"
    return
  }
  # Loading would have started it by now.
  look "$base.$$.idle"
  observed "$(state), runs = $(field runs)"
  [ "$code" = 0 ] && [ "$(field state)" = 'not running' ] && ! has_started idle 1 && [ "$(last_exit)" = 'last exit code = (never exited)' ]
}

kickstart_starts() {
  call kickstart -p "$domain/$base.$$.idle"
  kick_code=$code printed=$said
  kick "$base.$$.idle" idle 1 || return
  observed "it printed $printed"
  [ "$kick_code" = 0 ] && [ "$printed" = "$(latest idle pid)" ]
}

# The file has changed meanwhile.
not_loaded_twice() {
  sed 's/>polite</>polite-and-changed</' "$folder/main.plist" >"$folder/changed.plist"
  cat "$folder/changed.plist" >"$folder/main.plist"
  call bootstrap "$domain" "$folder/main.plist"
  observed "$code: $said"
  one_of "$code" 5 37 130
}

old_definition_stays() {
  look "$main"
  block arguments | grep -qx polite || fail "its arguments are $(block arguments)"
}

section 'loading'
try_agents 'bootstrap ends with 0' loads
try_main 'loading starts it: KeepAlive.SuccessfulExit implies RunAtLoad, even if that is false' loading_starts
try_main 'print shows a start that is held back (pended nondemand spawn), and kickstart releases it' held_is_shown
try_agents 'without KeepAlive and RunAtLoad it stays down' down_without_keepalive
try_agents 'kickstart starts a job that is down, and with -p prints only the pid' kickstart_starts
try_main 'bootstrap of a loaded job ends with 5, 37 or 130' not_loaded_twice
try_main 'and the loaded definition stays the old one' old_definition_stays
