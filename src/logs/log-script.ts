import { redactLogAwk } from './redact-log-awk.ts'

/** Seconds between two signs of life of a script that follows: without one, a host would notice a vanished controller only when a log grows. */
const beatS = 20

/**
 * Reads logs on their host: POSIX sh for dash, BusyBox and macOS. Arguments: `follow` or nothing; the first moment (`@SECONDS` since 1970, `-SECONDS`
 * from now, or nothing); paths of key files, one a line; then for each source its kind, the number of lines from its end (or `all`) and two words: `file PATH -`,
 * `container CLIENT NAME`, `journal UNIT -`.
 *
 * Prints records as `redactLogAwk` does, and two more signs: `?` there is no log, `!` it cannot be read, each with the reason. A line `.` is a
 * sign of life. Without `follow` one source is read after the other. `=resume` in a container's lines: lines that were printed before may follow.
 *
 * Everything it starts stays in its process group, which ends with the connection.
 */
export const logScript = `{
PATH="$PATH:/usr/sbin:/sbin"
LC_ALL=C
follow=$1 since=$2 keys=$3
shift 3
export PATH LC_ALL keys
set -f
case $since in
-*) since=$(($(date +%s) $since)) ;;
@*) since=\${since#@} ;;
esac
unbuffered=
case $(awk -W version 2>&1) in mawk*) unbuffered='-W interactive' ;; esac
number=0 said=

# say SIGN WORDS: once, until something else is said
say() {
  [ "$1$2" != "$said" ] || return 0
  said=$1$2
  printf '%s%s%.450s\\n' "$number" "$1" "$(printf '%s' "$2" | tr -s '\\n\\t ' ' ')" >&4
}
redact() (
  ulimit -v 524288
  awk $unbuffered -v number="$number" '${redactLogAwk}' || say '!' 'awk gave up; the log may have a line that is too long to be read'
)

# look_at FILE: its inode and its size, empty if there is none
look_at() {
  inode= size=
  set -- $(ls -dinL "$1")
  inode=\${1:-} size=\${6:-}
}
# read_file FILE: PATH leads to it, or did before it was rotated. Ends when PATH leads to another file that has content, or to a shorter one.
read_file() {
  look_at "$1"
  before=$inode
  { read_open "$1"; } <"$1"
}
read_open() {
  look_at "$1"
  [ "$inode" = "$before" ] || return 0
  mine=$inode seen=$size
  case $first in
  all) cat ;;
  0) tail -n 1 >/dev/null ;;
  *) tail -n "$first" ;;
  esac
  first=all
  while [ -n "$follow" ]; do
    sleep 1
    look_at "$path"
    begins=
    if [ "$inode" = "$mine" ]; then
      [ "$size" -ge "$seen" ] || return 0
      [ "$size" = "$seen" ] || cat
      seen=$size
    else
      cat
      [ "\${size:-0}" = 0 ] || return 0
    fi
  done
}
# A server goes on writing into a file that was renamed, until it is started again. So an empty file is read after the one before it.
read_rotated() {
  for old in "$path.0" "$path.1"; do
    if [ -f "$old" ] && [ ! -L "$old" ] && [ -r "$old" ] && [ -s "$old" ]; then
      read_file "$old"
      return
    fi
  done
  return 1
}
read_path() {
  if words=$(ls -d "$path" 2>&1 >/dev/null); then
    # Where root reads the log of another account, a link of that account may lead anywhere.
    if [ -L "$path" ] && [ "$(id -u)" = 0 ]; then say '!' "$path is a link, which root does not follow"
    elif [ ! -f "$path" ]; then say '!' "$path is not a file"
    elif [ ! -r "$path" ]; then say '!' "$(id -un) may not read $path"
    else
      [ -z "$begins" ] || [ -s "$path" ] || ! read_rotated || return 0
      begins=
      read_file "$path"
    fi
    return
  fi
  case $words in
  *denied* | *'not permitted'*) say '!' "$(id -un) may not read $path" ;;
  *)
    if [ -z "$begins" ] || ! read_rotated; then
      say '?' "there is no file $path"
      # Whatever comes is new.
      first=all
    fi
    ;;
  esac
}
read_log_file() {
  path=$1 first=$lines begins=yes
  while :; do
    read_path
    [ -n "$follow" ] || return 0
    sleep 1
  done
}

# A new container is read from its beginning, and one that was started again from where it was left.
read_container() {
  docker=$1 name=$2 now= was= id= from=
  while :; do
    if now=$("$docker" inspect --type container --format '{{.Id}} {{.State.StartedAt}} {{.State.Running}}' "$name" 2>&1); then
      set -- $now
      [ "$1 $2" = "$was" ] && [ "$3" != true ] || attach "$1"
      id=$1 was="$1 $2" from=$(($(date +%s) - 10))
    else
      case $now in
      *[Nn]o\\ such\\ *) say '?' "there is no container $name" ;;
      *) say '!' "$now" ;;
      esac
    fi
    [ -n "$follow" ] || return 0
    sleep 1
  done
}
attach() {
  if [ -z "$id" ]; then "$docker" logs --timestamps \${follow:+--follow} \${since:+--since "$since"} --tail "$lines" "$1" 2>&1
  elif [ "$id" != "$1" ]; then "$docker" logs --timestamps --follow "$1" 2>&1
  else
    echo '=resume'
    "$docker" logs --timestamps --follow --since "$from" "$1" 2>&1
  fi
}

read_journal() {
  words=$(journalctl --no-pager -n 1 -o cat -u "$1" 2>&1 >/dev/null)
  [ -z "$words" ] || say '!' "$words"
  journalctl --no-pager --quiet --all --no-hostname -o short-unix -n "$lines" \${since:+--since "@$since"} \${follow:+--follow} -u "$1" ||
    say '!' "journalctl ended with $?"
}

read_source() {
  lines=$2
  case $1 in
  file) read_log_file "$3" ;;
  container) read_container "$3" "$4" ;;
  journal) read_journal "$3" ;;
  esac | redact
}
if [ -z "$follow" ]; then
  while [ $# -ge 4 ]; do
    read_source "$1" "$2" "$3" "$4"
    shift 4 && number=$((number + 1)) said=
  done
  exit 0
fi
all=
while [ $# -ge 4 ]; do
  read_source "$1" "$2" "$3" "$4" &
  all="$all $!" number=$((number + 1))
  shift 4
done
while sleep ${beatS} >/dev/null 4>&-; do echo .; done &
wait $all
kill $!
} 4>&1 </dev/null 2>/dev/null
`
