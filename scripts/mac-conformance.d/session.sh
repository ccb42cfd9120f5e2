# shellcheck shell=sh disable=SC2015,SC2317,SC2329
# Whose session this is, and what there is of the desktop's: src/facts/launchd.ts, layout.ts, managers/launchd/checks.ts.

console=$(stat -f %Su /dev/console 2>/dev/null)
call print "$domain"
domain_code=$code
no_domain=
if [ "$domain_code" != 0 ]; then no_domain="there is no $domain"; fi

manager_word() {
  told "$session"
  one_of "$session" Aqua Background StandardIO LoginWindow System
}

console_owner() {
  told "$console"
  case $console in '' | *[!A-Za-z0-9._-]*) return 1 ;; esac
}

domain_of_console() {
  if [ "$console" != "$(id -un)" ]; then
    untriable "$console is at the screen"
  elif [ "$domain_code" != 0 ]; then
    otherwise "launchctl print $domain ended with $domain_code and said $said"
  fi
}

no_domain_codes() {
  if [ -z "$no_domain" ]; then
    untriable 'you are logged in at the screen'
    return
  fi
  call print "$domain/$base.none"
  one_of "$domain_code" 112 125 && one_of "$code" 112 125 || {
    otherwise "print $domain: $domain_code, print of an agent: $code"
    return
  }
  told "print $domain: $domain_code, print of an agent: $code"
}

no_domain_bootstrap() {
  if [ -z "$no_domain" ]; then
    untriable 'you are logged in at the screen'
    return
  fi
  write_agent nobody polite
  call bootstrap "$domain" "$folder/nobody.plist"
  told "$said"
  [ "$code" = 125 ] || otherwise "$code: $said"
}

disabled_list() {
  call print-disabled "$domain"
  printf '%s\n' "$said" | grep -q "^${tab}*disabled services = {\$" && [ "$code" = 0 ] || {
    otherwise "it ended with $code and said $said"
    return
  }
  odd=$(printf '%s\n' "$said" | awk '/disabled services = \{/ { inside = 1; next } /\}/ { inside = 0 } inside' |
    grep -Evx '[[:blank:]]*"[^"]+" => (enabled|disabled|true|false)' | head -n 1)
  [ -z "$odd" ] || otherwise "it has the line $odd"
}

no_such_job() {
  call print "$domain/$base.none"
  case $said in *"Could not find service \"$base.none\" in domain for user gui: $uid"*) [ "$code" = 113 ] && return ;; esac
  otherwise "$code: $said"
}

none_to_boot_out() {
  call bootout "$domain/$base.none"
  told "$said"
  [ "$code" = 3 ] || otherwise "$code: $said"
}

none_to_kickstart() {
  call kickstart "$domain/$base.none"
  [ "$code" = 113 ] || otherwise "$code: $said"
}

section 'the session'
if [ -n "$no_domain" ]; then heading '  Nobody is logged in at the screen as you: sit down there to have all of it tried.'; fi
try 'launchctl managername prints the kind of session in one word' manager_word
try '/dev/console belongs to who is at the screen, root for nobody' console_owner
try 'whoever owns /dev/console has a domain gui/UID' domain_of_console
try 'nobody at the screen: print ends with 112 or 125' no_domain_codes
try 'nobody at the screen: bootstrap ends with 125' no_domain_bootstrap
try_agents 'print-disabled has one line "LABEL" => disabled, or enabled, for each' disabled_list
try_agents 'print of what is not loaded ends with 113, and says so' no_such_job
try_agents 'bootout of what is not loaded ends with 3' none_to_boot_out
try_agents 'kickstart of what is not loaded ends with 113' none_to_kickstart
