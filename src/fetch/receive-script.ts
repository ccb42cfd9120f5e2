import { processFunctions } from '../apply/rollback-timer-process.ts'
import { digestFunctions } from './digest-functions.ts'
import { lockFunctions } from './job-lock.ts'
import { pieceFunctions } from './piece-functions.ts'
import { placeFunctions } from './place-functions.ts'

/**
 * Receives a piece of a file from another host, in place of the job of its model and under the same locks, so that nothing else writes the
 * partial file meanwhile. It is its own shell, so that killing its process stops the writer. The piece is stored separately first, and appended
 * only if it starts at the end of the file and arrived with one extra byte: the sender adds that after confirming that its file did not change.
 * Prints one line:
 *
 * `took`; `at BYTES`: the file has this many, and the piece starts elsewhere; `there`: the name is taken; `short`; `busy`; `stopped`: this copy
 * was cancelled; `failed REASON`.
 */
export const receiveScript = `
LC_ALL=C; export LC_ALL
PATH="$PATH:/usr/sbin:/sbin:/usr/local/bin:/opt/homebrew/bin"; export PATH
has() { command -v "$1" >/dev/null 2>&1; }
${processFunctions}${lockFunctions}${digestFunctions}${placeFunctions}${pieceFunctions}
finish() {
  release_file
  release "$folder/lock"
  echo "$1"
  exit 0
}
fail() {
  note "failed: $2"
  if [ "$1" = busy ]; then finish busy; fi
  finish "failed $1"
}
stop() {
  if [ -n "$worker" ]; then kill "$worker" 2>/dev/null; fi
  if [ -n "$piece" ]; then rm -f "$piece$from"; fi
  finish stopped
}
is_current() {
  current=
  if [ -e "$folder/copy" ]; then read -r current <"$folder/copy"; fi 2>/dev/null
  [ "$current" = "$copy" ]
}
# main FOLDER COPY BYTES KIND HEX PATH FROM COUNT MARKER HOST
main() {
  folder=$1 copy=$2 bytes=$3 kind=$4 hex=$5 path=$6 from=$7 count=$8 marker=$9
  shift 9
  source=$1 worker= locked= piece= token=
  exec 4<&0 </dev/null
  cd /
  umask 022
  identify || { echo "failed tools"; exit 0; }
  trap '' HUP
  if ! claim "$folder/lock"; then echo busy; exit 0; fi
  trap stop TERM INT
  if ! is_current; then finish stopped; fi
  written=
  if write_process "$folder/process" && set_state "working $path"; then written=1; fi
  # A stop between the check above and these lines saw no process: they overwrote its state, or it moved the file that they wrote.
  if ! is_current; then
    if [ ! -e "$folder/copy" ]; then set_state stopped; fi
    finish stopped
  fi
  if [ -z "$written" ]; then finish "failed unwritable"; fi
  name_parts
  if [ -e "$path" ] || [ -L "$path" ]; then finish there; fi
  make_folder
  mark_folder
  claim_file
  end_orphan
  take_leftovers
  size_of "$part"
  have=$size
  if [ "$have" -gt "$bytes" ]; then
    rm -f "$part"
    have=0
  fi
  if [ "$have" != "$from" ]; then finish "at $have"; fi
  if [ -n "$source" ]; then note "takes $path from $source, from byte $from on"; fi
  drop "$piece$from" "$heads$from"
  (set -C; exec head -c "$((count + 1))" <&4 >"$piece$from") &
  worker=$!
  wait "$worker"
  worker=
  size_of "$piece$from"
  if [ "$size" != "$((count + 1))" ]; then
    rm -f "$piece$from"
    check_disk
    finish short
  fi
  size_of "$part"
  if ! is_held_by "$folder/lock" "$me" || ! holds_file || [ "$size" != "$from" ] || [ -L "$part" ]; then
    rm -f "$piece$from"
    finish busy
  fi
  head -c "$count" "$piece$from" >>"$part"
  rm -f "$piece$from"
  size_of "$part"
  if [ "$size" != "$((from + count))" ]; then
    check_disk
    finish "at $size"
  fi
  finish took
}
main "$@"
`

/**
 * Shell: `open_copy FOLDER COPY FILES ABOUT` records what is received and by whom, as a job does. Prints `open`, `busy`, or `failed REASON`.
 */
export const openCopyFunctions = `
has() { command -v "$1" >/dev/null 2>&1; }
${processFunctions}${lockFunctions}${digestFunctions}${placeFunctions}
open_copy() {
  folder=$1
  identify || { echo "failed tools"; return; }
  if ! claim "$folder/lock"; then echo busy; return; fi
  if printf '%s' "$3" | cat >"$folder/files.new" && mv -f "$folder/files.new" "$folder/files" &&
    printf '%s\\n' "$4" | cat >"$folder/about.new" && mv -f "$folder/about.new" "$folder/about" &&
    rm -f "$folder/process" "$folder/hashing" && set_state working && printf '%s\\n' "$2" | cat >"$folder/copy"; then
    sweep "$folder/lock"
    said=open
  else
    said="failed unwritable"
  fi
  release "$folder/lock"
  echo "$said"
}
`
