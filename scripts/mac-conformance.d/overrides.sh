# shellcheck shell=sh disable=SC2015,SC2317,SC2329
# Enabled and disabled labels: src/managers/launchd/acts.ts. Always the same label, because launchd keeps each.

# override VERB
override() {
  call "$1" "$domain/$switch"
  [ "$code" = 0 ] || fail "$code: $said"
}

shown_disabled() {
  is_disabled "$switch" || fail "print-disabled has $(ctl print-disabled "$domain" | grep -F "$switch")"
}

disabled_refused() {
  call bootstrap "$domain" "$folder/switch.plist"
  observed "$code: $said"
  one_of "$code" 5 119 && is_gone "$switch"
}

enabled_again() {
  override enable || return
  if is_disabled "$switch"; then
    fail 'print-disabled still shows it as disabled'
    return
  fi
  call bootstrap "$domain" "$folder/switch.plist"
  [ "$code" = 0 ] || fail "bootstrap: $code: $said"
}

disabled_goes_on() {
  kick "$switch" switch 1 || return
  override disable || return
  look "$switch"
  [ "$(field pid)" = "$(latest switch pid)" ] && is_alive "$(latest switch pid)" || fail "$(state)"
}

disabled_stays_loaded() {
  has_started switch 1 || {
    skip 'it never ran'
    return
  }
  call kill SIGTERM "$domain/$switch"
  within 20 is_down "$switch" || {
    fail "kill SIGTERM: $code: $said; $(state)"
    return
  }
  observed "$(state)"
  [ "$(last_exit)" = 'last exit code = 0' ]
}

try_overrides() {
  if [ -n "$overrides" ]; then try_agents "$@"; else try "$1" skip 'with --no-overrides'; fi
}

section 'disabled labels'
if [ -n "$overrides" ]; then
  labels="$labels $switch"
  write_list "$switch" switch polite
fi
try_overrides 'enable ends with 0 for a label that is not loaded' override enable
try_overrides 'disable ends with 0 for a label that is not loaded' override disable
try_overrides 'print-disabled shows it as disabled, or true' shown_disabled
try_overrides 'bootstrap of a disabled label ends with 5 or 119' disabled_refused
try_overrides 'and with 0 once it is enabled' enabled_again
try_overrides 'disable leaves a running job running' disabled_goes_on
try_overrides 'and loaded, when its process ends' disabled_stays_loaded
