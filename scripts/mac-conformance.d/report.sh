# shellcheck shell=sh
# The table: one line for each assumption, and what was observed if it does not hold.

count=0 seen=0 missed=0 untried=0 note=

heading() {
  if [ -n "$tap" ]; then echo "# $1"; else echo "$1"; fi
}

section() {
  if [ -n "$tap" ]; then printf '# %s\n' "$1"; else printf '\n%s\n' "$1"; fi
}

# try TEXT FUNCTION…: the function returns 0 for seen, 1 for not seen, 2 for not applicable here; `note` is what it observed, or why not.
try() {
  text=$1
  shift
  note=
  count=$((count + 1))
  "$@"
  case $? in
    0) seen=$((seen + 1)) && row 'seen' "ok $count - $text${note:+ # $note}" "$text${note:+ ($note)}" ;;
    2) untried=$((untried + 1)) && row 'not tried' "ok $count - $text # SKIP $note" "$text ($note)" ;;
    *) missed=$((missed + 1)) && row 'NOT SEEN' "not ok $count - $text # $note" "$text ($note)" ;;
  esac
}

# row VERDICT TAP-LINE TEXT
row() {
  if [ -n "$tap" ]; then printf '%s\n' "$2"; else printf '  %-9s  %s\n' "$1" "$3"; fi
}

# For the functions: the last word of each.
observed() {
  note=$(one_line "$*")
}
fail() {
  observed "$@"
  return 1
}
skip() {
  observed "$@"
  return 2
}

# In a subshell, by what a shell has: hundreds of lines come by.
one_line() (
  set -f
  # shellcheck disable=SC2086
  set -- $1
  printf '%.200s' "$*"
)

summary() {
  if [ -n "$tap" ]; then echo "1..$count"; fi
  section "$count assumptions: $seen seen, $missed not seen, $untried not tried (session of kind $session, $(whence))."
  [ "$missed" -eq 0 ]
}

# Whether this is an SSH session: what a session may do depends on it.
whence() {
  if [ -n "${SSH_CONNECTION:-}" ]; then echo 'over SSH'; else echo 'not over SSH'; fi
}
