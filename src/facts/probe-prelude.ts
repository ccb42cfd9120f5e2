/**
 * Functions for every section of the probe, in POSIX sh for dash, BusyBox ash, bash and the `/bin/sh` of macOS. They fork as little as
 * possible, because on a NAS each fork costs milliseconds. The frame in `build-probe.ts` sets `$family`, `$uid`, `$home`, `$root` and
 * `$limiter`.
 */
export const probePrelude = `
has() { command -v "$1" >/dev/null 2>&1; }

# limit SECONDS COMMAND…: the command, killed (status 137) on timeout
limit() {
  if [ "$limiter" = timeout ]; then
    timeout -s KILL "$@" &
    job=$!
      # What it started is in a process group of its own.
    trap 'kill "$job"; exit 143' TERM
    wait "$job"
    ended=$?
    trap - TERM
    return "$ended"
  fi
  seconds=$1
  shift
    # Runs in its own session, so that its children are killed with it.
  if has setsid; then
    setsid "$@" &
    job=-$!
  else
    "$@" &
    job=$!
  fi
  (
    nap=
    trap 'kill "$nap" 2>/dev/null; exit' USR1
      # Together with the probe: what is in another session would go on.
    trap 'kill "$nap" 2>/dev/null; kill -s KILL -- "$job"; exit' TERM
    sleep "$seconds" &
    nap=$!
    wait "$nap" && kill -s KILL -- "$job"
  ) </dev/null >/dev/null 2>&1 &
  guard=$!
  wait "\${job#-}"
  ended=$?
  kill -s USR1 "$guard" 2>/dev/null
  return "$ended"
}

# limit_last SECONDS COMMAND…: the same as the last act of a subshell, which \`timeout\` then replaces
limit_last() {
  if [ "$limiter" = timeout ]; then exec timeout -s KILL "$@"; fi
  limit "$@"
}

# answer_of SECONDS COMMAND…: sets $words and $status. On success stderr is ignored; on failure the command runs again to get its message,
# unless it was killed on timeout, or failed with the status in $plain, which says all.
plain=0
answer_of() {
  words=$(limit_last "$@" 2>/dev/null)
  status=$?
  case $status in 0 | 124 | 137 | "$plain") return ;; esac
  words=$(limit_last "$@" 2>&1)
}

# expand PATH: sets $path
expand() {
  case $1 in
  @root/*) path=$root/\${1#@root/} ;;
  @home/*) path=$home/\${1#@home/} ;;
  *) path=$1 ;;
  esac
}

# look PATH: sets $state to there, absent, or hidden (a folder above it cannot be entered)
look() {
  state=there
  if [ -e "$1" ] || [ -L "$1" ]; then return; fi
  above=\${1%/*}
  while [ -n "$above" ] && [ ! -e "$above" ]; do above=\${above%/*}; done
  state=absent
  if [ -d "\${above:-/}" ] && [ ! -x "\${above:-/}" ]; then state=hidden; fi
}

# look_file PATH: like look; unreadable if it is not a readable file
look_file() {
  look "$1"
  if [ "$state" = there ] && { [ ! -f "$1" ] || [ ! -r "$1" ]; }; then state=unreadable; fi
}

# describe FILE…: per file "stat SIZE MTIME MODE OWNER NAME"; as the last act of a subshell, which the tool replaces
describe() {
  if [ "$family" = macos ]; then
    exec stat -L -f 'stat %z %m %Lp %Su %N' "$@"
  else
    exec stat -L -c 'stat %s %Y %a %U %n' "$@"
  fi
}

# ask_about TAG COMMAND ASKED…: sets $rows to what the command says of all readable files that are asked for by this tag, one per line
line_break='
'
ask_about() {
  tag=$1 command=$2
  shift 2
  count=$#
  for asked in "$@"; do
    case $asked in "$tag="*) expand "\${asked#*=}" ;; *) continue ;; esac
    look_file "$path"
    if [ "$state" = there ]; then set -- "$@" "$path"; fi
  done
  shift "$count"
  rows=
  if [ $# -gt 0 ]; then rows=$("$command" "$@")$line_break; fi
}

# row_of FILE ROWS: sets $row to the one that ends with this name, without it; empty if there is none
row_of() {
  row=\${2%%[" *"]"$1$line_break"*}
  row=\${row##*"$line_break"}
  case $row in */*) row= ;; esac
}

# owner_in ROW SUFFIX START END: sets $name and $label, from \`FILE:LINE\` as grep prints it of a file with this suffix and an ownership label
owner_in() {
  name=\${1%%"$2:$3"*}
  name=\${name##*/}
  label=\${1#*"$2:$3"}
  label=\${label%%"$4"*}
  case $name$label in [!A-Za-z0-9_]* | *[!A-Za-z0-9._-]*) return 1 ;; esac
  case $1 in *"$2:$3com."*"$4"*) ;; *) return 1 ;; esac
}

# stamp FILE…: per file "file DEVICE INODE MODIFIED CHANGED BORN NAME", then for the first one
# "folder MODIFIED FOLDER" and "link MODIFIED NAME" for each link in its path; before them, with $sized,
# "part BYTES NAME" and "time MODIFIED NAME" per file
sized=
stamp() {
  if [ "$family" = macos ]; then
    stamps=$(stat -L -f '%z %d %i %m %c %B %N' "$@" "\${1%/*}/")
  else
    stamps=$(stat -L -c '%s %d %i %Y %Z %W %n' "$@" "\${1%/*}/")
  fi
  set -f
  IFS='
'
  if [ -n "$sized" ]; then print_stamps sizes; fi
  print_stamps files
  unset IFS
  set +f
  rest=$1
  set --
  while [ -n "$rest" ]; do
    if [ -L "$rest" ]; then set -- "$@" "$rest"; fi
    rest=\${rest%/*}
  done
  if [ $# = 0 ]; then return; fi
  if [ "$family" = macos ]; then stat -f 'link %m %N' "$@"; else stat -c 'link %Y %n' "$@"; fi
}

# print_stamps sizes|files: from $stamps, one per line
print_stamps() {
  for line in $stamps; do
    rest=\${line#* * * }
    name=\${line#* * * * * * }
    case $1:$name in
    *:*/) if [ "$1" = files ]; then printf 'folder %s %s\\n' "\${rest%% *}" "$name"; fi ;;
    sizes:*) printf 'part %s %s\\ntime %s %s\\n' "\${line%% *}" "$name" "\${rest%% *}" "$name" ;;
    *) printf 'file %s\\n' "\${line#* }" ;;
    esac
  done
}

# digest [FILE…]: SHA-256 of stdin or of each file, as printed by whatever tool is installed; as the last act of a subshell, which the tool
# replaces
digest() {
  if has sha256sum; then
    exec sha256sum "$@"
  elif has openssl; then
    # Shasum is Perl, and takes several times as long.
    exec openssl dgst -sha256 -r "$@"
  elif has shasum; then
    exec shasum -a 256 "$@"
  else
    echo 'no sha256sum, shasum or openssl' >&2
    return 127
  fi
}

# Lines of at most 300 bytes. A longer one is cut before a word, so that no half of a key is left that would not be recognised.
cut_line='length > 300 { sub(/[^ \\t]*$/, "") }'
shorten() { LC_ALL=C cut -b 1-301 | LC_ALL=C awk "$cut_line"' { print }'; }
# log_end: the lines of a log on stdin, each after a bar, shortened and redacted
log_end() {
  cut -b 1-301 | awk "$cut_line"' { $0 = "|" $0 }
'"$redactor"
}

# show_redacted [FILE]: like show, redacted
show_redacted() {
  awk 'FNR > 2000 { exit } { $0 = "|" $0 }
'"$redactor" "$@" && echo
}

# show FILE: each line after a bar, at most 2000 (longer than any definition), then an empty line
show() {
  sed -e 's/^/|/' -e 2000q "$1"
  echo
}
`
