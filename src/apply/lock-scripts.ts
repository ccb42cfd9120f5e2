import { safeFolderFunctions } from '../managers/safe-folder-script.ts'
import { watchEveryS } from '../transports/watch.ts'
import { auditFunctions } from './audit-log.ts'

/**
 * The lock on a host is a folder: `mkdir` is atomic everywhere. In it, `owner` is one line of JSON with the holder's token, and
 * `beat` is the time of the last heartbeat, in seconds by the host's own clock: two clocks are never compared.
 */

export const lockFunctions = `
now() { date +%s; }
# Through cat, which reports a full disk where a shell's own printf reports "I/O error".
write_line() {
  printf '%s\\n' "$2" | cat >"$1" && return 0
  rm -f "$1"
  return 1
}
put_line() {
  write_line "$1.new" "$2" && mv -f "$1.new" "$1"
}
# Files in a lock that converge did not create; with them it could never be released.
foreign_in() {
  ls -A "$1" | grep -v -x -e owner -e beat -e heir -e owner.new -e beat.new
}
# line_of FILE: sets $line, empty if it cannot be read
line_of() { line=; { IFS= read -r line <"$1"; } 2>/dev/null; }
is_ours() {
  line_of "$1/owner"
  case $line in *"\\"token\\":\\"$2\\""*) return 0 ;; esac
  return 1
}
older_than_minutes() {
  [ -n "$(find "$1" -prune -mmin "+$2" 2>/dev/null)" ]
}
age_of() {
  line_of "$1/beat"
  beat=$line
  case $beat in
    '' | *[!0-9]*) if older_than_minutes "$1" 2; then echo 999999; else echo 0; fi ;;
    *)
      age=$(($(now) - beat))
      # A beat ahead of the clock (it was set back) is useless; fall back to the folder's date.
      if [ "$age" -lt -5 ]; then if older_than_minutes "$1" 2; then age=999999; else age=0; fi; fi
      if [ "$age" -lt 0 ]; then age=0; fi
      echo "$age" ;;
  esac
}
`

/** Followed by a digest of a lock's token, in the arguments of the shells that act under it. */
export const tagPrefix = 'converge-acts-under-'

/**
 * Whether a command under the lock with this digest still runs, or that is unknown. The pattern matches neither itself
 * nor this script's own arguments.
 */
const actsStill = `
acts_still() {
  [ -n "$1" ] || return 0
  if [ -r /proc/self/cmdline ]; then
    seen=$(cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\000' ' ')
  else
    seen=$(ps -axww -o command= 2>/dev/null)
  fi
  [ -n "$seen" ] || return 0
  printf '%s\n' "$seen" | grep -q "${tagPrefix.slice(0, -1)}[-]$1"
}
`

/**
 * `$1` converge's folder, `$2` seconds after which a silent lock is dead, `$3` our token, `$4` our owner line, `$5` seconds after which
 * no command of the previous holder can still run, `$6` the owner line of a run that has provably ended, or empty, `$7` the digest of
 * its token. Prints `taken`, `taken-over AGE OWNER`, `taken-from-dead AGE OWNER` or `held AGE OWNER`. Any exit status but 0 means that no
 * lock is possible: with `foreign`, a dead lock contains files of someone else, listed on stderr; with `unsafe` and a line of
 * `unsafe_above`, others can change a folder above it, and nothing was created.
 *
 * A takeover is decided inside the dead lock: the run that creates the folder `heir` in it looks once more, then rewrites the owner
 * in place. A second run finds `heir` or a new owner, and gives up. A holder that only seemed dead (the machine slept, its
 * clock was set forward) may still run a command. The command sees the new owner through `watchScript`, and the takeover waits for its end.
 *
 * A run that has provably ended need not have been silent, but its commands may still run. Elapsed time does not prove that they
 * ended; the host's processes must show it. If they do not, the lock is put back as it was, and waited for as usual.
 */
export const takeScript = `${lockFunctions}${safeFolderFunctions}${actsStill}
make_root() {
  case $1 in '' | /) return 0 ;; esac
  if [ -d "$1" ]; then return 0; fi
  make_root "\${1%/*}" || return 1
  mkdir -m 755 "$1" || [ -d "$1" ]
}
# Both or, on a full disk, none.
move_in() {
  write_line "$lock/beat.new" "$(now)" || return 1
  write_line "$lock/owner.new" "$owner" || { rm -f "$lock/beat.new"; return 1; }
  mv -f "$lock/beat.new" "$lock/beat" && mv -f "$lock/owner.new" "$lock/owner" && is_ours "$lock" "$token"
}
root=$1 ttl=$2 token=$3 owner=$4 settle=$5 dead=$6 digest=$7 lock=$1/lock
umask 022
if unsafe=$(unsafe_above "$root"); then printf 'unsafe %s\\n' "$unsafe"; exit 1; fi
make_root "$root" || exit 1
made=
make_lock() { said=$(mkdir "$lock" 2>&1) && made=yes; }
# A lock released between mkdir and the test: try again.
tries=5
until make_lock || [ -d "$lock" ] || [ "$tries" = 0 ]; do tries=$((tries - 1)); done
if [ -n "$made" ]; then
  if move_in; then echo taken; exit 0; fi
  rm -rf "$lock"
  exit 1
fi
if [ ! -d "$lock" ]; then printf '%s\\n' "$said" >&2; exit 1; fi
before=$(cat "$lock/owner" 2>/dev/null)
beat_before=$(cat "$lock/beat" 2>/dev/null)
age=$(age_of "$lock")
word=taken-over
if [ "$age" -lt "$ttl" ]; then
  if [ -z "$dead" ] || [ "$before" != "$dead" ]; then printf 'held %s %s\\n' "$age" "$before"; exit 0; fi
  word=taken-from-dead
fi
if foreign_in "$lock" >&2; then echo foreign; exit 1; fi
if older_than_minutes "$lock/heir" 1; then rmdir "$lock/heir" 2>/dev/null; fi
if ! said=$(mkdir "$lock/heir" 2>&1); then
  # Another run was faster, or the lock was released just now.
  case $said in *'ile exists'* | *'o such file'*) printf 'held %s %s\\n' "$age" "$before"; exit 0 ;; esac
  printf '%s\\n' "$said" >&2
  exit 1
fi
trap 'rmdir "$lock/heir" 2>/dev/null' EXIT
if [ "$(cat "$lock/owner" 2>/dev/null)" != "$before" ] || [ "$(cat "$lock/beat" 2>/dev/null)" != "$beat_before" ]; then
  printf 'held %s %s\\n' 0 "$(cat "$lock/owner" 2>/dev/null)"
  exit 0
fi
move_in || exit 1
sleep "$settle"
is_ours "$lock" "$token" || { printf 'held %s %s\\n' 0 "$(cat "$lock/owner" 2>/dev/null)"; exit 0; }
tries=10
while [ "$word" = taken-from-dead ] && acts_still "$digest"; do
  tries=$((tries - 1))
  if [ "$tries" = 0 ]; then
    put_line "$lock/beat" "$beat_before" && put_line "$lock/owner" "$before" || exit 1
    printf 'held %s %s\\n' "$age" "$before"
    exit 0
  fi
  sleep 1
done
printf '%s %s %s\\n' "$word" "$age" "$before"
`

/** `$1` the lock, `$2` our token: exit 0 while we hold it. */
export const fenceScript = `
owner=
{ IFS= read -r owner <"$1/owner"; } 2>/dev/null
case $owner in *"\\"token\\":\\"$2\\""*) exit 0 ;; esac
cat "$1/owner" 2>/dev/null
exit 1
`

/**
 * `$1` the lock, `$2` our token, `$3` seconds. Fails when another run holds the lock, when it is missing twice in a row (one look may
 * have failed), or when no new beat came for that long. Silence is counted in looks, because the clock may be set; the clock only
 * gives the age of the first beat.
 */
export const watchScript = `
lease_owner='' lease_beat=''
{ IFS= read -r lease_owner <"$1/owner"; } 2>/dev/null
case $lease_owner in
  *"\\"token\\":\\"$2\\""*) lease_gone=0 ;;
  '') lease_gone=$((\${lease_gone:-0} + 1)); [ "$lease_gone" -lt 2 ] || return 1 ;;
  *) return 1 ;;
esac
{ IFS= read -r lease_beat <"$1/beat"; } 2>/dev/null
if [ -z "\${lease_silent:-}" ]; then
  lease_silent=0
  case $lease_beat in '' | *[!0-9]*) ;; *) lease_silent=$(($(date +%s) - lease_beat)) ;; esac
  if [ "$lease_silent" -lt 0 ] || [ "$lease_silent" -ge "$3" ]; then lease_silent=0; fi
elif [ "$lease_beat" = "$lease_seen" ]; then
  lease_silent=$((lease_silent + ${watchEveryS}))
else
  lease_silent=0
fi
lease_seen=$lease_beat
[ "$lease_silent" -lt "$3" ]
`

/** `$1` the lock, `$2` our token. Exit 3: we no longer hold it. */
export const beatScript = `${lockFunctions}
is_ours "$1" "$2" || exit 3
put_line "$1/beat" "$(now)"
`

/**
 * `$1` the lock, `$2` our token; then the log on the host and lines that end the run in it, or nothing. A lock of another run is
 * left alone, even one taken over at this moment: a release creates the folder `heir` like a takeover does. The owner is removed last,
 * so that an interrupted release is still ours.
 */
export const releaseScript = `${lockFunctions}${auditFunctions}
last_output() {
  shift 2
  if [ "$#" -gt 1 ]; then open_log "$1"; write_down "$@"; fi
}
tries=0
until said=$(mkdir "$1/heir" 2>&1); do
  is_ours "$1" "$2" || exit 0
  tries=$((tries + 1))
  case $tries-$said in [1-5]-*'ile exists'*) ;; *) printf '%s\\n' "$said" >&2; exit 1 ;; esac
  sleep 1
done
if is_ours "$1" "$2"; then
  last_output "$@" 2>/dev/null
  rm -f "$1/beat" "$1/beat.new" "$1/owner.new"
  rm -f "$1/owner" && rmdir "$1/heir" || exit 1
  if said=$(rmdir "$1" 2>&1); then exit 0; fi
  if foreign_in "$1" >&2; then echo foreign; else printf '%s\\n' "$said" >&2; fi
  exit 1
else
  rmdir "$1/heir"
fi
`
