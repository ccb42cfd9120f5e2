# shellcheck shell=sh disable=SC2015,SC2317,SC2329
# The domain of the system, its accounts, and what an account without root may do there: src/facts/daemons.ts, accounts.ts,
# managers/launchd/. With --daemon also what root does there.

daemon=$base.$$.daemon
mine=$(id -un)

system_printed() {
  first=$(services_of system | awk 'NF == 3 && $1 ~ /^[1-9][0-9]*$/ { print $3; exit }')
  [ -n "$first" ] || {
    fail 'print system has no running service'
    return
  }
  call print "system/$first"
  observed "$first"
  [ "$code" = 0 ] && [ "$(printf '%s\n' "$said" | head -n 1)" = "system/$first = {" ] || fail "$code: $said"
}

system_disabled_list() {
  call print-disabled system
  printf '%s\n' "$said" | grep -q "^${tab}*disabled services = {\$" && [ "$code" = 0 ] || fail "$code: $said"
}

no_such_daemon() {
  call print "system/$base.none"
  observed "$said"
  [ "$code" = 113 ] || fail "$code: $said"
}

no_root_bootstrap() {
  write_list "$daemon" closed polite
  call bootstrap system "$folder/closed.plist"
  observed "$code: $said"
  refusal=$code
  call print "system/$daemon"
  [ "$refusal" != 0 ] && [ "$code" = 113 ]
}

account_entry() {
  entry=$(id -P "$mine") || {
    fail "id -P ended with $?"
    return
  }
  fields=$(printf '%s\n' "$entry" | awk -F: '{ print NF, $3, $9 }')
  observed "$fields"
  [ "$fields" = "10 $uid $HOME" ]
}

no_such_account() {
  entry=$(id -P "$base.none" 2>&1)
  code=$?
  observed "$code: $entry"
  [ "$code" = 1 ] || return 1
  case $entry in *'no such user'*) ;; *) return 1 ;; esac
}

vault_state() {
  words=$(fdesetup status 2>&1)
  code=$?
  observed "$words"
  [ "$code" = 0 ] || return 1
  printf '%s\n' "$words" | grep -Eq '^FileVault is (On|Off)\.'
}

# as_root COMMAND…
as_root() {
  sudo -n "$@"
}

# try_daemons TEXT FUNCTION
try_daemons() {
  if [ -z "$daemons" ]; then
    try "$1" skip 'only with --daemon'
  else
    try "$@"
  fi
}

foreign_list_refused() {
  write_list "$daemon" theirs polite
  said=$(as_root launchctl bootstrap system "$folder/theirs.plist" 2>&1)
  code=$?
  observed "$code: $said"
  [ "$code" = 5 ]
}

daemon_runs_as_account() {
  write_list "$daemon" daemon polite "<key>UserName</key><string>$mine</string><key>Umask</key><integer>23</integer>
	<key>EnvironmentVariables</key><dict><key>HOME</key><string>$HOME</string></dict>"
  as_root chown root:wheel "$folder/daemon.plist" || return 1
  said=$(as_root launchctl bootstrap system "$folder/daemon.plist" 2>&1) || {
    fail "$said"
    return
  }
  within 15 has_started daemon 1 || {
    fail 'it did not start'
    return
  }
  owner=$(ps -p "$(latest daemon pid)" -o user= | tr -d ' ')
  observed "$owner"
  [ "$owner" = "$mine" ]
}

daemon_has_home() {
  home=$(sed -n 's/^env HOME=//p' "$folder/daemon.started" | tail -n 1)
  observed "$home"
  [ "$home" = "$HOME" ]
}

daemon_log_mode() {
  mode=$(stat -f %Lp "$folder/daemon.log")
  observed "$mode"
  [ "$mode" = 640 ]
}

daemon_boots_out() {
  as_root launchctl bootout "system/$daemon" >/dev/null 2>&1
  domain=system
  within 20 is_gone "$daemon"
  gone=$?
  domain=gui/$uid
  return "$gone"
}

account_tries() {
  # shellcheck disable=SC2016 # the inner shell expands it
  answer=$(as_root -u "$mine" /bin/sh -c 'if test -r "$1"; then echo yes; else echo no; fi' sh "$folder/daemon.plist")
  observed "$answer"
  [ "$answer" = yes ]
}

section 'the system'
try 'print of a daemon begins with system/LABEL = {, without root' system_printed
try 'print-disabled system has its list, without root' system_disabled_list
try 'print of a daemon that is not loaded ends with 113' no_such_daemon
try 'without root, bootstrap into system fails and loads nothing' no_root_bootstrap
try 'id -P NAME prints ten fields, the third the uid, the ninth the home' account_entry
try 'id -P of no account ends with 1: no such user' no_such_account
try 'fdesetup status says On or Off, without root' vault_state
try_daemons 'root: bootstrap of another account'"'"'s property list into system ends with 5' foreign_list_refused
try_daemons 'root: a daemon runs as its UserName' daemon_runs_as_account
try_daemons 'root: it has the HOME of its property list' daemon_has_home
try_daemons 'root: Umask 23 gives its log the mode 640' daemon_log_mode
try_daemons 'root: bootout removes it' daemon_boots_out
try_daemons 'root: sudo -u NAME tries what that account can read' account_tries
