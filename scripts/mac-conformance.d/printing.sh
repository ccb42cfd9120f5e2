# shellcheck shell=sh disable=SC2015,SC2317,SC2329
# `launchctl print` of a job that runs: src/facts/parse-launchctl.ts, managers/launchd/agent-functions.ts.

printed() {
  look "$main"
  head=$(printf '%s\n' "$job" | sed -n 1p)
  [ "$code" = 0 ] && [ "$head" = "$domain/$main = {" ] || otherwise "it ended with $code and began with $head"
}

# line_is NAME VALUE: once, behind one tab
line_is() {
  [ "$(field "$1")" = "$2" ] || otherwise "behind one tab there is $1 = $(field "$1"), not $2"
}

# A number that is the job's own: the coalitions have others behind two tabs.
runs_once() {
  printf '%s\n' "$job" | grep -qx "${tab}runs = 1" || otherwise "runs = $(field runs)"
}

never_exited() {
  [ "$(last_exit)" = 'last exit code = (never exited)' ] || otherwise "$(last_exit)"
}

argument_lines() {
  words=$(block arguments)
  [ "$words" = "$perl
$folder/listener.pl
$main_port
polite
$folder/main.told" ] || otherwise "they are $words"
}

environment_lines() {
  block environment | grep -qx 'CONVERGE_SEEN => two words' && block environment | grep -qx "XPC_SERVICE_NAME => $main" ||
    otherwise "they are $(block environment)"
}

semaphore_line() {
  block semaphores | grep -qx 'successful exit => 0' || otherwise "there is $(block semaphores)"
}

property_words() {
  case $(field properties) in
    *runatload*) ;;
    *) otherwise "properties = $(field properties)" ;;
  esac
}

# As src/facts/launchd.ts finds the agents of a fleet.
listed_in_domain() {
  words=$(ctl print "$domain" | awk -v prefix="$main" 'NF == 3 && $1 ~ /^[0-9]+$/ && index($3, prefix) == 1 { print $1 }')
  [ "$words" = "$(latest main pid)" ] || otherwise "there is no line of it with its pid, but $words"
}

section 'print of a job that runs'
try_main 'it begins with gui/UID/LABEL = {' printed
try_main 'state = running is a line behind one tab' line_is state running
try_main 'pid = is its process' line_is pid "$(latest main pid)"
try_main 'path = is the property list, as bootstrap was given it' line_is path "$folder/main.plist"
try_main 'program = is its program' line_is program "$perl"
try_main 'arguments has one word a line' argument_lines
try_main 'environment has lines NAME => VALUE, XPC_SERVICE_NAME among them' environment_lines
try_main 'stdout path = is its log' line_is 'stdout path' "$folder/main.log"
try_main 'exit timeout = is ExitTimeOut' line_is 'exit timeout' 10
try_main 'minimum runtime = 10, where ThrottleInterval is not given' line_is 'minimum runtime' 10
try_main 'runs = counts its starts' runs_once
try_main 'last exit code = (never exited) before the first end' never_exited
try_main 'KeepAlive.SuccessfulExit=false is the semaphore successful exit => 0' semaphore_line
try_main 'runatload is among the properties, whatever RunAtLoad says' property_words
try_main 'print gui/UID lists it in three columns: pid, status, label' listed_in_domain
