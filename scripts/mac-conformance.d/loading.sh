# shellcheck shell=sh disable=SC2015,SC2317,SC2329
# Loading, and that loading starts: src/managers/launchd/agent-functions.ts, loadingStarts. `main` runs from here to booting-out.sh.

main=$base.$$.main
# Nobody listens there now.
main_port=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport')
# Why it is not there, where it is not.
no_main=
# Why launchd holds starts back that nobody asked for, where it does.
held_starts=

loads() {
  write_agent main polite "<key>ExitTimeOut</key><integer>10</integer>
	<key>EnvironmentVariables</key><dict><key>CONVERGE_SEEN</key><string>two words</string></dict>"
  call bootstrap "$domain" "$folder/main.plist"
  if [ "$code" = 0 ]; then return; fi
  otherwise "$code: $said"
  # As converge does: a failure that passes must not keep the rest from being tried.
  within 10 ctl bootstrap "$domain" "$folder/main.plist" >/dev/null 2>&1 || no_main='its agent could not be loaded'
  return 1
}

# A job that does not start by itself is started, so that the rest can be tried.
loading_starts() {
  within 15 settled "$main" main 1
  look "$main"
  held_starts=$(field 'pended nondemand spawn')
  if has_started main 1; then return; fi
  seen_state=$(state)
  kick "$main" main 1
  if [ -n "$held_starts" ]; then untriable "launchd holds it back: $seen_state"; else otherwise "$seen_state"; fi
}

held_is_told() {
  if [ -z "$held_starts" ]; then
    untriable 'nothing was held back'
    return
  fi
  has_started main 1 || {
    otherwise "kickstart did not start it: $(state)"
    return
  }
  look "$main"
  told "it was $held_starts"
  [ -z "$(field 'pended nondemand spawn')" ]
}

down_without_keepalive() {
  write_agent idle polite '' ''
  call bootstrap "$domain" "$folder/idle.plist"
  [ "$code" = 0 ] || {
    otherwise "bootstrap: $code: $said"
    return
  }
  # What would be started by loading has been started by now.
  look "$base.$$.idle"
  told "$(state), runs = $(field runs)"
  [ "$code" = 0 ] && [ "$(field state)" = 'not running' ] && ! has_started idle 1 && [ "$(last_exit)" = 'last exit code = (never exited)' ]
}

kickstart_starts() {
  call kickstart -p "$domain/$base.$$.idle"
  kick_code=$code printed=$said
  kick "$base.$$.idle" idle 1 || return
  told "it printed $printed"
  [ "$kick_code" = 0 ] && [ "$printed" = "$(latest idle pid)" ]
}

# The file says something else by now.
not_loaded_twice() {
  sed 's/>polite</>polite-and-changed</' "$folder/main.plist" >"$folder/changed.plist"
  cat "$folder/changed.plist" >"$folder/main.plist"
  call bootstrap "$domain" "$folder/main.plist"
  told "$code: $said"
  one_of "$code" 5 37 130
}

old_definition_stays() {
  look "$main"
  block arguments | grep -qx polite || otherwise "its arguments are $(block arguments)"
}

section 'loading'
try_agents 'bootstrap ends with 0' loads
try_main 'loading starts it: KeepAlive.SuccessfulExit implies RunAtLoad, also where that is false' loading_starts
try_main 'a start that is held back is told (pended nondemand spawn), and kickstart lets it go' held_is_told
try_agents 'without KeepAlive and RunAtLoad it stays down' down_without_keepalive
try_agents 'kickstart starts what is down, and with -p prints the pid alone' kickstart_starts
try_main 'bootstrap of what is loaded ends with 5, 37 or 130' not_loaded_twice
try_main 'and the loaded definition stays the old one' old_definition_stays
