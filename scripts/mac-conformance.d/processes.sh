# shellcheck shell=sh disable=SC2015,SC2317,SC2329
# The process of `main` as other tools see it: src/facts/processes-macos.ts, listeners.ts, managers/macos-checks.ts.

own=$(latest main pid)

# What the program recorded at its start.
given() {
  [ "$(latest main "$1")" = "$2" ] || fail "it is $(latest main "$1")"
}

variable() {
  grep -qxF "env $1=$2" "$folder/main.started" || fail "it is $(sed -n "s/^env $1=//p" "$folder/main.started" | tail -n 1)"
}

log_lines() {
  grep -qx listens "$folder/main.log" || fail "the log holds $(cat "$folder/main.log" 2>&1)"
}

long_row() {
  row=$(ps -axww -o pid=,ppid=,user=,rss=,etime=,lstart=,command= | awk -v pid="$own" '$1 == pid')
  printf '%s\n' "$row" | grep -qE "^ *$own +1 +$(id -un) +[0-9]+ +[0-9:-]+ +[A-Z][a-z]{2} +[A-Za-z0-9]+ +[A-Za-z0-9]+ +[0-9:]{8} +[0-9]{4} +.*$folder/listener\.pl $main_port polite $folder/main\.started *\$" ||
    fail "it is $row"
}

full_path() {
  row=$(ps -axww -o pid=,comm= | awk -v pid="$own" '$1 == pid { print $2 }')
  long=$(ps -axww -o pid=,comm= | awk '{ sub(/^ *[0-9]+ +/, "") } length($0) > 32 && /^\// { print; exit }')
  observed "$row, $long"
  [ -n "$long" ] && case $row in /*) ;; *) false ;; esac
}

started_words() {
  alone=$(ps -p "$own" -o lstart= 2>&1 | tr -s ' ')
  row=$(ps -axww -o pid=,ppid=,user=,rss=,etime=,lstart=,command= | awk -v pid="$own" '$1 == pid { print $6, $7, $8, $9, $10 }')
  [ "${alone% }" = "$row" ] || fail "ps -p prints $alone, the list $row"
}

# Of a process that just started, and of the oldest one.
age_words() {
  sleep 60 &
  young=$(ps -p "$!" -o etime= 2>&1 | tr -d ' ')
  { kill "$!" && wait "$!"; } 2>/dev/null
  old=$(ps -axww -o pid=,etime= | awk '$1 == 1 { print $2 }')
  observed "$young, launchd $old"
  printf '%s\n' "$young" | grep -qx '00:[0-5][0-9]' && printf '%s\n' "$old" | grep -qEx '(([0-9]+-)?([01][0-9]|2[0-3]):)?[0-5][0-9]:[0-5][0-9]'
}

# A process of ours that has exited: its pid is not reused so soon.
ended_process() {
  sleep 0 &
  ended_pid=$!
  wait "$ended_pid"
  if words=$(ps -p "$ended_pid" -o lstart= 2>&1); then fail "it ended with 0 and said $words"; fi
}

lsof_fields() {
  words=$(lsof -nP -iTCP -sTCP:LISTEN +c 0 -FpcLtdn 2>/dev/null | awk -v want="p$own" '/^p/ { mine = $0 == want } mine')
  for line in 'c.*perl.*' tIPv4 "n127\.0\.0\.1:$main_port"; do
    printf '%s\n' "$words" | grep -qx "$line" || {
      fail "of its process it said $words"
      return
    }
  done
}

lsof_port() {
  words=$(lsof -nP -iTCP:"$main_port" -sTCP:LISTEN -t 2>/dev/null)
  [ "$words" = "$own" ] || fail "it said $words"
}

lsof_port_fields() {
  words=$(lsof -nP -iTCP:"$main_port" -sTCP:LISTEN -Fpcn 2>/dev/null | tr '\n' ' ')
  case $words in "p$own c"*" n127.0.0.1:$main_port ") ;; *) fail "it said $words" ;; esac
}

lsof_free_port() {
  words=$(lsof -nP -iTCP:9 -sTCP:LISTEN -t 2>/dev/null)
  code=$?
  [ "$code" = 1 ] && [ -z "$words" ] || fail "it ended with $code and said $words"
}

netstat_row() {
  rows=$(netstat -anv -p tcp 2>/dev/null | grep LISTEN | grep "[.]$main_port ")
  printf '%s\n' "$rows" | grep -qE "^tcp4 +[0-9]+ +[0-9]+ +127\.0\.0\.1\.$main_port +\*\.\* +LISTEN " || fail "it said $rows"
}

netstat_holder() {
  head=$(netstat -anv -p tcp 2>/dev/null | grep Proto)
  case $head in *process:pid*) holder="^( +[0-9]+){2,4} +[^ ].*:$own " ;; *) holder="^( +[0-9]+){2} +$own +[0-9]+ " ;; esac
  printf '%s\n' "$rows" | sed 's/^.*LISTEN//' | grep -qE "$holder" || fail "under $head it said $rows"
}

section 'its process'
try_main 'its working directory is /' given folder /
try_main 'HOME is the home of the account' variable HOME "$HOME"
try_main 'PATH holds the four folders of the system' variable PATH /usr/bin:/bin:/usr/sbin:/sbin
try_main 'it gets a variable of its property list, including blanks' variable CONVERGE_SEEN 'two words'
try_main 'XPC_SERVICE_NAME is its label' variable XPC_SERVICE_NAME "$main"
try_main 'its output is in its log' log_lines
try_main 'ps prints pid, parent (1), user, size, age, start in five words, and the whole command' long_row
try_main 'ps prints the full path of a program if comm is the last column' full_path
try_main 'ps -p PID -o lstart= prints the start in the same words' started_words
try 'ps -o etime= prints the age of a process as [[days-]hours:]minutes:seconds' age_words
try 'ps -p does not end with 0 for a process that has exited' ended_process
try_main 'lsof -F, without root: our own process, its name, IPv4, address and port' lsof_fields
try_main 'lsof -t of one port prints only the pid' lsof_port
try_main 'lsof -Fpcn of one port prints pid, command and name' lsof_port_fields
try 'lsof ends with 1 and prints nothing for a free port' lsof_free_port
try_main 'netstat -anv -p tcp has a row LISTEN with address.port' netstat_row
try_main 'and prints the pid, as process:pid or in its own column' netstat_holder
