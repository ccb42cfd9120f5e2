# shellcheck shell=sh disable=SC2015
# Queries launchd and reads its answers, as src/managers/launchd does.

tab=$(printf '\t')

# A hanging launchctl must not stop the script: a kickstart in the throttle window takes 16 seconds.
ctl() {
  perl -e 'alarm 60; exec @ARGV or exit 127' launchctl "$@"
}

# call VERB…: sets $code and $said
call() {
  said=$(ctl "$@" 2>&1)
  code=$?
}

# look LABEL: sets $code and $job
look() {
  job=$(ctl print "$domain/$1" 2>&1)
  code=$?
}

# Only lines behind one tab are the job's own.
field() {
  printf '%s\n' "$job" | sed -n "s/^$tab$1 = //p"
}

# The lines of a block of the job, without their indent.
block() {
  printf '%s\n' "$job" | awk -v head="$tab$1 = {" -v foot="$tab}" '
    $0 == head { inside = 1; next }
    $0 == foot { inside = 0 }
    inside { sub(/^\t\t/, ""); print }'
}

last_exit() {
  printf '%s\n' "$job" | sed -n "s/^$tab\(last [a-z ]* = .*\)$/\1/p"
}

# The state of the job of `look`, for people.
state() {
  held=$(field 'pended nondemand spawn')
  echo "state = $(field state), $(last_exit)${held:+, pended nondemand spawn = $held}"
}

# within SECONDS COMMAND…: repeats it until it succeeds
within() {
  left=$(($1 * 5))
  shift
  until "$@"; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || return 1
    sleep 0.2
  done
}

is_gone() {
  look "$1"
  [ "$code" != 0 ]
}

is_down() {
  look "$1"
  [ "$code" = 0 ] && [ -z "$(field pid)" ]
}

is_held() {
  look "$1"
  [ -n "$(field 'pended nondemand spawn')" ]
}

# settled LABEL NAME TIMES: it was started TIMES times, or launchd holds its start back
settled() {
  has_started "$2" "$3" || is_held "$1"
}

# state_is LABEL STATE
state_is() {
  look "$1"
  [ "$(field state)" = "$2" ]
}

is_disabled() {
  ctl print-disabled "$domain" 2>/dev/null | grep -q -e "\"$1\" => disabled" -e "\"$1\" => true"
}

# one_of WORD CHOICE…
one_of() {
  word=$1
  shift
  for choice in "$@"; do
    if [ "$word" = "$choice" ]; then return 0; fi
  done
  return 1
}

# start_agent NAME: bootstrap, and kickstart if starts are held back; returns the status of an assumption
start_agent() {
  call bootstrap "$domain" "$folder/$1.plist"
  [ "$code" = 0 ] || {
    fail "bootstrap: $code: $said"
    return
  }
  if [ -n "$held_starts" ]; then ctl kickstart "$domain/$base.$$.$1" >/dev/null 2>&1; fi
  within 15 has_started "$1" 1 || {
    look "$base.$$.$1"
    fail "it did not start: $(state)"
  }
}

# kick LABEL NAME TIMES: kickstart, until it was started TIMES times; returns the status of an assumption
kick() {
  call kickstart "$domain/$1"
  one_of "$code" 0 37 && within 20 has_started "$2" "$3" || {
    look "$1"
    fail "kickstart: $said; $(state)"
  }
}

# Assumptions about agents need a domain for them.
try_agents() {
  if [ -z "$no_domain" ]; then try "$@"; else try "$1" skip "$no_domain"; fi
}

# Assumptions about the agent that runs throughout.
try_main() {
  if [ -z "$no_main" ]; then try_agents "$@"; else try "$1" skip "$no_main"; fi
}
