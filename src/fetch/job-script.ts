import { processFunctions } from '../apply/rollback-timer-process.ts'
import { digestFunctions } from './digest-functions.ts'
import { hubToolFunctions } from './hub-tool.ts'
import { lockFunctions } from './job-lock.ts'
import { pieceFunctions } from './piece-functions.ts'
import { placeFunctions } from './place-functions.ts'

/**
 * The job that fetches the files of one model on its host, and outlives the connection that started it. Its folder is `fetch/ID` in converge's
 * folder there; it contains
 *
 * - `files`: the files to fetch, one per line: bytes, kind of digest, digest, address, path, and name at the hub, separated by tabs; `about`: for whom, as JSON;
 * - `state`: `working PATH`, `done`, `failed REASON PATH` or `stopped`; `process`: its pid and start; `lock`: who works, see `job-lock.ts`;
 * - `fetched`: files that a job named, `BYTES INODE MODIFIED CHANGED PATH` right before that; files not listed existed before;
 * - `digests`: what was hashed, `KIND HEX BYTES INODE MODIFIED CHANGED PATH`; `hashing`: the process that hashes now, and its file; `log`.
 *
 * A file is assembled in `PATH.DIGEST.part` from pieces, `PATH.DIGEST.piece-OFFSET`. The response head of a piece is kept beside `files` until
 * its bytes are appended, so that the next job knows what they are. No file gets its name before its digest matches, and no file is ever
 * replaced.
 */
export const jobScript = `#!/bin/sh
LC_ALL=C; export LC_ALL
PATH="$PATH:/usr/sbin:/sbin:/usr/local/bin:/opt/homebrew/bin"; export PATH
has() { command -v "$1" >/dev/null 2>&1; }
${processFunctions}${lockFunctions}${digestFunctions}${placeFunctions}${pieceFunctions}${hubToolFunctions}
# finish STATE WORDS
finish() {
  note "$2"
  drop "$folder/hashing" "$folder/hash" "$folder/curl" "$folder/fetcher"
  release_file
  set_state "$1"
  release "$folder/lock"
  exit 0
}
# fail REASON WORDS
fail() { finish "failed $1 $path" "failed: $2"; }
stop() {
  if [ -n "$worker" ]; then kill "$worker" 2>/dev/null; fi
  finish stopped "stopped; what has arrived is kept"
}
# main FOLDER GIVEN: the first line of its input is the hub's token. GIVEN is a folder with files, about and limits, and receives the answer.
main() {
  folder=$1 given=$2 hub_tool= worker= locked= wrong= path=
    # Such a variable in the login's environment would be exported to every program.
  unset token
  IFS= read -r token
  trap '' HUP
  cd /
  umask 022
  exec </dev/null >/dev/null 2>>"$given/said"
  identify || { echo "failed tools" >"$given/begun"; exit 1; }
  claim "$folder/lock"
  case $? in
    1) echo "busy $holder" >"$given/begun"; exit 1 ;;
    2) echo "failed unwritable" >"$given/begun"; exit 1 ;;
  esac
  { read -r piece_bytes stall_s tries pause_s longest_s fetcher && IFS= read -r marker && read -r hub repo commit; } <"$given/limits"
  mv -f "$given/files" "$given/about" "$folder" && write_process "$folder/process" && set_state working || {
    echo "failed unwritable" >"$given/begun"
    release "$folder/lock"
    exit 1
  }
  # A new file for the digest: the hasher of a killed job still writes into the old one.
  drop "$folder/hashing" "$folder/hash" "$folder/copy"
  sweep "$folder/lock"
  size_of "$folder/log"
  if [ "$size" -gt 1000000 ]; then mv -f "$folder/log" "$folder/log.1"; fi
  echo begun >"$given/begun"
  exec 2>/dev/null
  for old in "$folder"/new-*; do
    # Renamed first: another start may still be writing there, and must not write into what is half removed.
    if [ "$old" != "$given" ] && mv "$old" "$old.old"; then rm -rf "$old.old"; fi
  done
  trap stop TERM INT
  note "begins"
  end_orphan
  if ! has sha256sum && ! has shasum && ! has openssl; then fail tools "no tool for SHA-256 is installed: sha256sum, shasum or openssl"; fi
  tool=
  while IFS='	' read -r bytes kind hex address path name <&3; do
    settle_file
  done 3<"$folder/files"
  path=$wrong
  if [ -n "$wrong" ]; then fail other "$wrong differs from the hub's file; it was left alone"; fi
  if [ -n "$marker" ]; then drop "$marker"; fi
  finish 'done' "all files are complete, and their digests match"
}
is_busybox() { case $("$1" --help 2>&1) in *BusyBox*) return 0 ;; *) return 1 ;; esac; }
# Called for the first file to fetch.
choose_tools() {
  case $fetcher in http | none) ;; *) choose_hub_tool ;; esac
  if [ "$fetcher" = none ]; then tool=none
  elif [ "$fetcher" = hub ]; then
    tool=hub
    if [ -z "$hub_tool" ]; then fail tools "the hub's own tool, hf, is not installed"; fi
  elif has curl; then
    tool=curl proxy_option=
    quoted "$token"
    quoted_token=$quoted
        # Keeps a proxy's answer to CONNECT from looking like the hub's.
    if [ -n "\${https_proxy-}\${HTTPS_PROXY-}\${all_proxy-}\${ALL_PROXY-}" ] && curl -q --suppress-connect-headers --version >/dev/null 2>&1; then proxy_option=--suppress-connect-headers; fi
  elif [ -n "$hub_tool" ] && { [ -n "$token" ] || ! is_busybox wget; }; then tool=hub
  elif ! is_busybox wget; then fail tools "neither curl nor the wget of BusyBox is installed"
  elif [ -n "$token" ]; then fail tools "only wget is installed, which would expose the token in the process list; install curl"
  else
    tool=wget
        # An interrupted piece is fetched again completely, so pieces are small.
    if [ "$piece_bytes" -gt 67108864 ]; then piece_bytes=67108864; fi
  fi
}
# For files from other hosts, which are copied beforehand.
must_be_whole() {
  if [ "$bytes" = 0 ]; then fresh "$part" || cannot_write "it cannot be created"; fi
  size_of "$part"
  if [ ! -f "$part" ] || [ -L "$part" ] || [ "$size" != "$bytes" ]; then
    fail neighbour "$path did not arrive completely from other hosts; what has arrived is kept"
  fi
}
settle_file() {
  name_parts
  again=
  set_state "working $path"
  if [ ! -e "$path" ] && [ ! -L "$path" ]; then fetch_file; fi
  if is_remembered "$path"; then right=0
  elif size_of "$path"; [ "$size" != "$bytes" ]; then right=1
  else
    is_right "$path"
    right=$?
    if [ "$right" = 0 ]; then remember "$path" || fail unwritable "$folder/digests is not writable"; fi
  fi
  case $right in
    0)
      if [ -e "$part".hub ] || [ -L "$part".hub ]; then rm -rf "$part".hub; fi
      drop "$part" "$part".* "$piece"* "$heads"*
      sweep "$path.lock"
            # Lock of a job that was killed right after it named the file.
      if [ -z "$locked" ] && { holder_of "$path.lock"; [ -n "$held" ]; } && claim "$path.lock"; then locked=$path.lock; fi
      ;;
    1)
      note "$path is not the hub's file: its size or digest differs"
      wrong=\${wrong:-$path}
      ;;
    *) not_hashed "$path" ;;
  esac
  release_file
}
# Returns once something has the name.
fetch_file() {
  if [ -z "$tool" ]; then choose_tools; fi
  make_folder
  mark_folder
  claim_file
  note "fetches $path"
  while [ ! -e "$path" ] && [ ! -L "$path" ]; do
    case $tool in
      hub) fetch_by_hub_tool ;;
      none) must_be_whole ;;
      *) fetch_pieces ;;
    esac
    sync "$part" 2>/dev/null || sync
    must_be_plain "$part"
    if [ -f "$part" ]; then chmod 644 "$part"; fi
    is_right "$part"
    right=$?
    if [ "$right" = 0 ]; then
      put_in_place
    elif [ "$right" = 2 ]; then
      not_hashed "$part"
    elif [ "$tool" = none ]; then
      rm -f "$part"
      fail mismatch "$path arrived from another host with a wrong digest"
    elif [ -n "$again" ]; then
      rm -f "$part"
      fail mismatch "$path arrived with a wrong digest twice"
    else
      note "$path arrived with a wrong digest; fetching it once more"
      again=yes
      rm -f "$part"
    fi
  done
}
# A link fails if the name is taken; some file systems have no links. The named file is compared with the hashed one: size, inode and time.
put_in_place() {
  if ! holds_file; then fail busy "another job took over $path"; fi
    # Hashing may have taken minutes.
  must_be_plain "$part"
  stamp_of "$part" && [ "$stamp" = "$seen" ] || not_hashed "$part"
  if [ -e "$path" ] || [ -L "$path" ]; then return; fi
  hashed=\${seen% *}
    # Recorded before the file has its name, so that it is never mistaken for a foreign one; its stamp identifies it.
  printf '%s %s\\n' "$seen" "$path" >>"$folder/fetched"
  if ! ln "$part" "$path" 2>/dev/null && [ ! -e "$path" ] && [ ! -L "$path" ]; then
    mv -n "$part" "$path" || cannot_write "it cannot be renamed"
  fi
  rm -f "$part"
    # Removing the other name only changed the time of change.
  stamp_of "$path"
  seen=$stamp
  if [ ! -L "$path" ] && [ "\${seen% *}" = "$hashed" ]; then remember "$path"; fi
}
main "$@"
exit
`
