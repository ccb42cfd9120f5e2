# shellcheck shell=sh disable=SC2015,SC2317,SC2329
# Definitions that launchd refuses to load, and those that it loads and cannot start: src/managers/launchd/checks.ts, simulation/mac/launchd.ts.

# refused NAME: bootstrap of its file ends with 5, and nothing is loaded
refused() {
  call bootstrap "$domain" "$folder/$1.plist"
  observed "$code: $said"
  [ "$code" = 5 ] && is_gone "$base.$$.$1"
}

refused_to_others() {
  write_agent open polite
  chmod 666 "$folder/open.plist"
  refused open
}

refused_as_none() {
  labels="$labels $base.$$.words"
  echo 'no list' >"$folder/words.plist"
  chmod 644 "$folder/words.plist"
  refused words
}

# fails_to_start NAME: bootstrap ends with 0, and the job says that it could not be started
fails_to_start() {
  call bootstrap "$domain" "$folder/$1.plist"
  [ "$code" = 0 ] || {
    fail "bootstrap: $code: $said"
    return
  }
  if [ -n "$held_starts" ]; then ctl kickstart "$domain/$base.$$.$1" >/dev/null 2>&1; fi
  within 15 spawn_failed "$base.$$.$1"
  failed=$?
  observed "job state = $(field 'job state'), $(state)"
  ctl bootout "$domain/$base.$$.$1" >/dev/null 2>&1
  return "$failed"
}

spawn_failed() {
  look "$1"
  [ -z "$(field pid)" ] && [ "$(field 'job state')" = 'spawn failed' ] && [ "$(last_exit)" = 'last exit code = 78: EX_CONFIG' ]
}

no_program() {
  write_agent nothing polite
  sed "s|<string>$perl</string>|<string>$folder/none</string>|" "$folder/nothing.plist" >"$folder/changed.plist"
  cat "$folder/changed.plist" >"$folder/nothing.plist"
  fails_to_start nothing
}

no_log_folder() {
  write_agent logless polite
  sed 's|/logless\.log<|/nowhere/logless.log<|' "$folder/logless.plist" >"$folder/changed.plist"
  cat "$folder/changed.plist" >"$folder/logless.plist"
  fails_to_start logless
}

section 'refusals'
try_agents 'bootstrap of a property list that others can write ends with 5' refused_to_others
try_agents 'bootstrap of another kind of file ends with 5' refused_as_none
try_agents 'bootstrap of a missing file ends with 5' refused none
try_agents 'bootstrap ends with 0 for a missing program: spawn failed, 78' no_program
try_agents 'bootstrap ends with 0 for a missing log folder: spawn failed, 78' no_log_folder
