# shellcheck shell=sh disable=SC2015,SC2317,SC2329
# The owner of this session, and the domain of the desktop: src/facts/launchd.ts, layout.ts, managers/launchd/checks.ts.

console=$(stat -f %Su /dev/console 2>/dev/null)
call print "$domain"
domain_code=$code
no_domain=
if [ "$domain_code" != 0 ]; then no_domain="there is no $domain"; fi

manager_word() {
  observed "$session"
  one_of "$session" Aqua Background StandardIO LoginWindow System
}

console_owner() {
  observed "$console"
  case $console in '' | *[!A-Za-z0-9._-]*) return 1 ;; esac
}

domain_of_console() {
  if [ "$console" != "$(id -un)" ]; then
    skip "$console is at the screen"
  elif [ "$domain_code" != 0 ]; then
    fail "launchctl print $domain ended with $domain_code and said $said"
  fi
}

no_domain_codes() {
  if [ -z "$no_domain" ]; then
    skip 'you are logged in at the screen'
    return
  fi
  call print "$domain/$base.none"
  one_of "$domain_code" 112 125 && one_of "$code" 112 125 || {
    fail "print $domain: $domain_code, print of an agent: $code"
    return
  }
  observed "print $domain: $domain_code, print of an agent: $code"
}

no_domain_bootstrap() {
  if [ -z "$no_domain" ]; then
    skip 'you are logged in at the screen'
    return
  fi
  write_agent absent polite
  call bootstrap "$domain" "$folder/absent.plist"
  observed "$said"
  [ "$code" = 125 ] || fail "$code: $said"
}

disabled_list() {
  call print-disabled "$domain"
  printf '%s\n' "$said" | grep -q "^${tab}*disabled services = {\$" && [ "$code" = 0 ] || {
    fail "it ended with $code and said $said"
    return
  }
  odd=$(printf '%s\n' "$said" | awk '/disabled services = \{/ { inside = 1; next } /\}/ { inside = 0 } inside' |
    grep -Evx '[[:blank:]]*"[^"]+" => (enabled|disabled|true|false)' | head -n 1)
  [ -z "$odd" ] || fail "it has the line $odd"
}

no_such_job() {
  call print "$domain/$base.none"
  case $said in *"Could not find service \"$base.none\" in domain for user gui: $uid"*) [ "$code" = 113 ] && return ;; esac
  fail "$code: $said"
}

none_to_boot_out() {
  call bootout "$domain/$base.none"
  observed "$said"
  [ "$code" = 3 ] || fail "$code: $said"
}

none_to_kickstart() {
  call kickstart "$domain/$base.none"
  [ "$code" = 113 ] || fail "$code: $said"
}

section 'the session'
if [ -n "$no_domain" ]; then heading '  You are not logged in at the screen: log in there to check everything.'; fi
try 'launchctl managername prints the kind of session in one word' manager_word
try '/dev/console belongs to the user at the screen, to root without one' console_owner
try 'the owner of /dev/console has a domain gui/UID' domain_of_console
try 'no user at the screen: print ends with 112 or 125' no_domain_codes
try 'no user at the screen: bootstrap ends with 125' no_domain_bootstrap
try_agents 'print-disabled has one line "LABEL" => disabled, or enabled, for each' disabled_list
try_agents 'print of a job that is not loaded ends with 113, and says so' no_such_job
try_agents 'bootout of a job that is not loaded ends with 3' none_to_boot_out
try_agents 'kickstart of a job that is not loaded ends with 113' none_to_kickstart
