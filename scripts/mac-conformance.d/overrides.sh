# shellcheck shell=sh disable=SC2015,SC2317,SC2329
# Labels that are enabled and disabled: src/managers/launchd/acts.ts. Only ever one label, because launchd forgets none.

# override VERB
override() {
  call "$1" "$domain/$switch"
  [ "$code" = 0 ] || otherwise "$code: $said"
}

shown_disabled() {
  is_disabled "$switch" || otherwise "print-disabled has $(ctl print-disabled "$domain" | grep -F "$switch")"
}

disabled_refused() {
  call bootstrap "$domain" "$folder/switch.plist"
  told "$code: $said"
  one_of "$code" 5 119 && is_gone "$switch"
}

enabled_again() {
  override enable || return
  if is_disabled "$switch"; then
    otherwise 'print-disabled has it as disabled all the same'
    return
  fi
  call bootstrap "$domain" "$folder/switch.plist"
  [ "$code" = 0 ] || otherwise "bootstrap: $code: $said"
}

disabled_goes_on() {
  kick "$switch" switch 1 || return
  override disable || return
  look "$switch"
  [ "$(field pid)" = "$(latest switch pid)" ] && is_alive "$(latest switch pid)" || otherwise "$(state)"
}

disabled_stays_loaded() {
  has_started switch 1 || {
    untriable 'it never ran'
    return
  }
  call kill SIGTERM "$domain/$switch"
  within 20 is_down "$switch" || {
    otherwise "kill SIGTERM: $code: $said; $(state)"
    return
  }
  told "$(state)"
  [ "$(last_exit)" = 'last exit code = 0' ]
}

try_overrides() {
  if [ -n "$overrides" ]; then try_agents "$@"; else try "$1" untriable 'with --no-overrides'; fi
}

section 'labels that are disabled'
if [ -n "$overrides" ]; then
  labels="$labels $switch"
  write_list "$switch" switch polite
fi
try_overrides 'enable ends with 0 for a label that is not loaded' override enable
try_overrides 'disable ends with 0 for a label that is not loaded' override disable
try_overrides 'print-disabled shows it as disabled, or true' shown_disabled
try_overrides 'bootstrap of a label that is disabled ends with 5 or 119' disabled_refused
try_overrides 'and with 0 once it is enabled' enabled_again
try_overrides 'disable leaves a job that runs running' disabled_goes_on
try_overrides 'and loaded, when it is ended' disabled_stays_loaded
