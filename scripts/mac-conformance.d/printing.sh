# shellcheck shell=sh disable=SC2015,SC2317,SC2329
# `launchctl print` of a running job: src/facts/parse-launchctl.ts, managers/launchd/agent-functions.ts.

printed() {
  look "$main"
  head=$(printf '%s\n' "$job" | sed -n 1p)
  [ "$code" = 0 ] && [ "$head" = "$domain/$main = {" ] || fail "it ended with $code and began with $head"
}

# line_is NAME VALUE: once, behind one tab
line_is() {
  [ "$(field "$1")" = "$2" ] || fail "behind one tab there is $1 = $(field "$1"), not $2"
}

# The number of the job itself: the coalitions have others behind two tabs.
runs_once() {
  printf '%s\n' "$job" | grep -qx "${tab}runs = 1" || fail "runs = $(field runs)"
}

never_exited() {
  [ "$(last_exit)" = 'last exit code = (never exited)' ] || fail "$(last_exit)"
}

argument_lines() {
  words=$(block arguments)
  [ "$words" = "$perl
$folder/listener.pl
$main_port
polite
$folder/main.started" ] || fail "they are $words"
}

environment_lines() {
  block environment | grep -qx 'CONVERGE_SEEN => two words' && block environment | grep -qx "XPC_SERVICE_NAME => $main" ||
    fail "they are $(block environment)"
}

semaphore_line() {
  block semaphores | grep -qx 'successful exit => 0' || fail "there is $(block semaphores)"
}

property_words() {
  case $(field properties) in
    *runatload*) ;;
    *) fail "properties = $(field properties)" ;;
  esac
}

# As src/facts/launchd.ts finds the agents of a fleet.
listed_in_domain() {
  words=$(ctl print "$domain" | awk -v prefix="$main" 'NF == 3 && $1 ~ /^[0-9]+$/ && index($3, prefix) == 1 { print $1 }')
  [ "$words" = "$(latest main pid)" ] || fail "it has no line with its pid, but $words"
}

# As src/adopt/survey.ts finds the supervisor of a process.
services_of() {
  ctl print "$1" | awk '/^[ \t]*services = [{]/ { on = 1; next } /^[ \t]*[}]/ { on = 0 } on'
}

listed_as_service() {
  services_of "$domain" | grep -qx ".*${tab}$main" || fail 'its line is not in the block services'
}

daemons_readable() {
  services_of system | grep -q "${tab}com[.]apple[.]" || fail 'print system shows no services'
}

section 'print of a running job'
try_main 'it begins with gui/UID/LABEL = {' printed
try_main 'state = running is a line behind one tab' line_is state running
try_main 'pid = is its process' line_is pid "$(latest main pid)"
try_main 'path = is the property list, as given to bootstrap' line_is path "$folder/main.plist"
try_main 'program = is its program' line_is program "$perl"
try_main 'arguments has one word a line' argument_lines
try_main 'environment has lines NAME => VALUE, XPC_SERVICE_NAME among them' environment_lines
try_main 'stdout path = is its log' line_is 'stdout path' "$folder/main.log"
try_main 'exit timeout = is ExitTimeOut' line_is 'exit timeout' 10
try_main 'minimum runtime = 10, without ThrottleInterval' line_is 'minimum runtime' 10
try_main 'runs = counts its starts' runs_once
try_main 'last exit code = (never exited) before the first exit' never_exited
try_main 'KeepAlive.SuccessfulExit=false is the semaphore successful exit => 0' semaphore_line
try_main 'runatload is among the properties, whatever RunAtLoad is' property_words
try_main 'print gui/UID lists it in three columns: pid, status, label' listed_in_domain
try_main 'its line is in the block services of print gui/UID' listed_as_service
try_main 'print system lists the services of the system, without root' daemons_readable
