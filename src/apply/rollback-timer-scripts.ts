import { watchEveryS, watchedEndS } from '../transports/watch.ts'
import { lockFunctions } from './lock-scripts.ts'
import { fileFunctions } from './rollback-timer-files.ts'
import { leaveFunctions, processFunctions } from './rollback-timer-process.ts'

/**
 * A rollback timer is a folder `ID.STATE` in `deadman` (its name on hosts) in converge's folder on the host. Every change of state is one
 * rename, so exactly one of two competing processes succeeds, even on a full disk: `armed` to `off` (disarmed, then deleted) or to
 * `acting`, and from there to `undone`, `failed`, `spared` (someone else changed the files, so nothing was rolled back), or back to
 * `armed` when a heartbeat arrives after all.
 *
 * It contains `timer` (the script), `about` (one line of JSON), `patience` (seconds of silence), `files` (`rollback-timer-files.ts`), `said`
 * (the output of the rollback), `process` and `worker` (the watching process and the rollback), `alive` (its date is the last look, or
 * the end), and `due` once the timer was ordered to act now. Its process leaves the process group and session of the connection, and the
 * login where that would kill it.
 */

/** How often the rollback is tried, and the seconds between. */
const tries = 3
const pauseS = 10
/** Exit status of a rollback that finds files changed by someone else. */
const sparedStatus = 94

/**
 * \`wait_for_silence BASE ID LOCK LIMIT\`: watches the lock, whichever run holds it, and acts when the lock has not changed for
 * \`patience\` seconds. Silence is counted in looks, because the clock may be set. Before it acts, it removes the dead lock as
 * \`converge unlock\` does, so that no run that wakes up acts at the same time. If a run came back to life meanwhile, the timer steps back. A
 * run that takes the lock later finds \`acting\` and waits. The holder of the lock creates \`due\`. Two timers act one after the other, and
 * what the first does to a dead lock is no heartbeat for the second.
 */
export const timerFunctions = `${lockFunctions}${processFunctions}${fileFunctions}
lease() { cat "$lock/owner" "$lock/beat" 2>/dev/null; }
patience() {
  seconds=$(cat "$folder/patience" 2>/dev/null)
  case $seconds in '' | *[!0-9]*) seconds=180 ;; esac
  echo "$seconds"
}
wait_for_silence() {
  base=$1 id=$2 lock=$3 limit=$4 folder=$1/$2.armed
  trap '' HUP
  cd /
  exec >>"$folder/said" 2>&1 </dev/null
  write_process "$folder/process" 2>/dev/null
  silent=0 refused=0 other_acted= seen=$(lease)
  while [ -d "$folder" ]; do
    touch "$folder/alive" 2>/dev/null
    now=$(lease)
    other_acts=
    if another_acts; then other_acts=yes; fi
    if [ "$now" != "$seen" ]; then
      if [ -z "$other_acts$other_acted" ] || [ -e "$lock/owner" ]; then silent=0; fi
      seen=$now
    elif [ -n "$other_acts" ]; then
      :
    elif [ -e "$folder/due" ]; then
      act when-asked
    elif [ "$silent" -ge "$(patience)" ]; then
      act when-silent
    else
      silent=$((silent + ${watchEveryS}))
    fi
    other_acted=$other_acts
    sleep ${watchEveryS}
  done
}
another_acts() {
  for other in "$base"/*.acting; do
    if [ "$other" != "$base/$id.acting" ] && [ -d "$other" ] && at_work "$other"; then return 0; fi
  done
  return 1
}
act() {
  if ! mv "$folder" "$base/$id.acting" 2>/dev/null; then
    refused=$((refused + 1))
    if [ "$refused" -lt 30 ]; then return 0; fi
    echo "it could not be begun"
    exit 1
  fi
  yields=
  if another_acts; then
    yields=yes
    # Both may have started at once; a random pause breaks the tie.
    sleep "$(($$ % 5))"
  elif [ "$1" = when-silent ] && ! take_dead_lock_away; then
    yields=yes
    if ! another_acts; then silent=0; fi
  fi
  if [ -n "$yields" ]; then
    seen=$(lease)
    mv "$base/$id.acting" "$folder" || exit 1
    return 0
  fi
  tried=1
  until put_back; do
    if [ "$status" = ${sparedStatus} ] && [ "$tried" = 1 ]; then finish spared; fi
    if [ "$status" -ge 128 ] || [ "$tried" -ge ${tries} ]; then finish failed; fi
    tried=$((tried + 1))
    naps=0
    while [ "$naps" -lt ${pauseS} ]; do
      touch "$base/$id.acting/alive" 2>/dev/null
      naps=$((naps + ${watchEveryS}))
      sleep ${watchEveryS}
    done
  done
  finish undone
}
finish() {
  touch "$base/$id.acting/alive" 2>/dev/null
  mv "$base/$id.acting" "$base/$id.$1" && rm -f "$base/$id.$1/files"
  exit 0
}
# On a full disk no heir can be created, but no run can take the lock either.
take_dead_lock_away() {
  [ "$(lease)" = "$seen" ] || return 1
  [ -d "$lock" ] || return 0
  if older_than_minutes "$lock/heir" 1; then rmdir "$lock/heir" 2>/dev/null; fi
  if ! said=$(mkdir "$lock/heir" 2>&1); then
    case $said in *'ile exists'*) return 1 ;; *'o such file'*) return 0 ;; esac
  fi
  if [ "$(lease)" != "$seen" ]; then rmdir "$lock/heir" 2>/dev/null; return 1; fi
  rm -f "$lock/owner"
  # Until no command that watches the lock can still run.
  sleep ${watchedEndS}
  if [ ! -e "$lock/owner" ]; then rm -f "$lock/beat" "$lock/beat.new" "$lock/owner.new"; fi
  rmdir "$lock/heir" 2>/dev/null
  rmdir "$lock" 2>/dev/null
  return 0
}
put_back() {
  detach /bin/sh "$base/$id.acting/timer" undo &
  worker=$!
  (
    spent=0
    while [ "$spent" -lt "$limit" ]; do
      sleep ${watchEveryS}
      spent=$((spent + ${watchEveryS}))
      touch "$base/$id.acting/alive"
    done
    echo "it was ended after $limit s"
    kill -s TERM -- "-$worker" 2>/dev/null
    sleep 2
    kill -s KILL -- "-$worker" 2>/dev/null || kill -s KILL "$worker"
  ) 2>/dev/null &
  warden=$!
  wait "$worker"
  status=$?
  kill -s KILL "$warden" 2>/dev/null
  wait "$warden" 2>/dev/null
  return "$status"
}
`

/**
 * The rollback: `$1` the folder of timers, `$2` id, then the files that the run writes. Needs the function `undo`.
 */
export const goBackFunction = `
go_back() {
  work=$1/$2.acting
  shift 2
  write_process "$work/worker" 2>/dev/null
  only_ours "$work/files" "$@"
  case $? in
    0) undo ;;
    1) exit ${sparedStatus} ;;
    *) echo "whether someone changed the files is unknown"; exit 1 ;;
  esac
}
`

/**
 * `$1` the folder of timers, `$2` id, `$3` the script, `$4` about, `$5` patience in seconds, `$6` lines for `files`, then the files that the
 * run writes. Returns once the timer watches the lock; on failure it leaves nothing behind. Also removes leftovers of runs that were cut off.
 */
export const armScript = `${processFunctions}${leaveFunctions}${fileFunctions}
umask 077
mkdir -p "$1" || exit 1
rm -rf "$1"/*.new "$1"/*.off
new=$1/$2.new folder=$1/$2.armed
begin() {
  may_leave || return 1
  mkdir "$new" || return 1
  printf '%s' "$3" | cat >"$new/timer" || return 1
  printf '%s\n' "$4" | cat >"$new/about" || return 1
  printf '%s\n' "$5" | cat >"$new/patience" || return 1
  true >"$new/said" || return 1
  files=$6
  shift 6
  lines=$(for path; do seen_as "$path" || exit 1; done) || { echo "no tool here to take a SHA-256"; return 1; }
  printf '%s\\n' "$lines" "$files" | cat >"$new/files" || return 1
  mv "$new" "$folder" || return 1
  { trap '' HUP; leave_running "$folder/timer"; } </dev/null >/dev/null 2>&1 &
  waited=0
  until [ -e "$folder/alive" ]; do
    waited=$((waited + 1))
    if [ "$waited" -gt 150 ]; then echo "it did not start watching"; return 1; fi
    sleep 0.2 2>/dev/null || sleep 1
  done
  lives "$folder/process" || { echo "its process is unknown"; return 1; }
}
if begin "$@"; then exit 0; fi
mv "$folder" "$new" 2>/dev/null
rm -rf "$new"
rmdir "$1" 2>/dev/null
exit 1
`

/** `$1` the folder of timers, `$2` id. Exit 1: it is no longer armed. One that is already disarmed is success. */
export const disarmScript = `
if mv "$1/$2.armed" "$1/$2.off" 2>/dev/null || [ -d "$1/$2.off" ]; then
  rm -rf "$1/$2.off"
  rmdir "$1" 2>/dev/null
  exit 0
fi
for state in armed acting undone failed spared; do
  if [ -d "$1/$2.$state" ]; then echo "it is $state"; exit 1; fi
done
`

/**
 * `$1` the folder of timers, `$2` id: orders the timer to act now, whichever run holds the lock. If its process is gone, because the host
 * was restarted, it is started again and continues.
 */
export const actNowScript = `${processFunctions}${leaveFunctions}
folder=$1/$2.armed
if [ -d "$1/$2.acting" ] && ! at_work "$1/$2.acting"; then mv "$1/$2.acting" "$folder"; fi
[ -d "$folder" ] || exit 0
true >"$folder/due" || { [ ! -d "$folder" ]; exit; }
if lives "$folder/process"; then exit 0; fi
{ trap '' HUP; leave_running "$folder/timer"; } </dev/null >/dev/null 2>&1 &
`

/** `$1` the folder of timers, then ids of timers that acted: deletes their folders. */
export const forgetScript = `
base=$1
shift
for id; do rm -rf "$base/$id.undone" "$base/$id.failed" "$base/$id.spared" || exit 1; done
rmdir "$base" 2>/dev/null || :
`

/** `$1` the folder of timers, `$2` id, `$3` a state: exit 0 while it is in another. */
export const notInStateScript = `[ ! -d "$1/$2.$3" ]`

/** `$1` the folder of timers: exit 0 if none is armed or acting. */
export const noneWaitsScript = `
[ -d "$1" ] || { [ ! -e "$1" ] && [ ! -L "$1" ]; exit; }
ls -A "$1" >/dev/null || exit 1
# One listing, so that a timer that changes its state meanwhile is not missed.
for folder in "$1"/*; do
  case $folder in *.armed | *.acting) echo "$folder"; exit 1 ;; esac
done
`
