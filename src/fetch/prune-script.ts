import { processFunctions } from '../apply/rollback-timer-process.ts'
import { safeFolderFunctions } from '../managers/safe-folder-script.ts'
import { entryFunctions } from './entry-functions.ts'
import { lockFunctions } from './job-lock.ts'
import { openFilesFunctions } from './open-files.ts'

/** The first digits of a digest, in the name of a part. */
const short = '[0-9a-f]'.repeat(8)

/** The functions of the script below. */
export const pruneFunctions = `${processFunctions}${lockFunctions}${safeFolderFunctions}${entryFunctions}${openFilesFunctions}
family=linux
if [ "$(uname -s)" = Darwin ]; then family=macos; fi
locked='' stays=''
give_back() {
  if [ -n "$locked" ]; then (cd -P "$place" && release "$locked"); fi
  release "$folder/lock"
}
kept() {
  stays=yes
  printf 'kept %s %s\\n' "$number" "$1"
}
is_there() { [ -e "$1" ] || [ -L "$1" ]; }
# split ORDER: sets kind, stamp, path, place, name, and base, the file that it is a part of
split() {
  kind=\${1%% *}
  stamp=\${1#* }
  stamp=\${stamp%%" /"*}
  path=/\${1#*" /"}
  place=\${path%/*}
  place=\${place:-/}
  name=\${path##*/}
  base=$name
  if [ "$kind" != file ]; then base=\${name%.????????.p*}; fi
}
is_as_seen() {
  if [ -L "$1" ]; then return 1; fi
  if [ "$kind" = tree ]; then [ -d "$1" ] && [ "$(tree_of "$1")" = "$stamp" ]
  else [ -f "$1" ] && [ "$(entry_stamp "$1")" = "$stamp" ]
  fi
}
# Files on an unmounted volume are not lost.
is_lost() {
  if is_there "$1"; then return 1; fi
  above=\${1%/*}
  while [ ! -d "\${above:-/}" ]; do above=\${above%/*}; done
  case $above in '' | /Volumes | /mnt | /media | /media/* | /run/media | /run/media/*) return 1 ;; esac
}
has_model_files() {
  while IFS='	' read -r _ _ _ _ path _; do
    if is_there "$path"; then return 0; fi
  done 2>/dev/null <"$folder/files"
  return 1
}
remove_entry() { if [ "$kind" = tree ]; then rm -rf "./$name"; else rm -f "./$name"; fi; }
# In the resolved folder, so that no other account can redirect the removal.
remove_here() {
  if ! is_there "./$name"; then printf 'gone %s\\n' "$number"; return; fi
  claim "./$base.lock"
  case $? in
    0) locked=./$base.lock ;;
    1) kept "another download works on it ($holder)"; return ;;
  esac
  user=$(printf '%s\\n' "$open" | wanted=$path awk '{ pid = $2; sub(/^open [0-9]+ /, "") } $0 == ENVIRON["wanted"] { print pid; exit }')
    # The inode of a removed file may have been reused.
  if ! is_as_seen "./$name"; then kept "it has changed since it was shown"
  elif [ -n "$user" ]; then kept "in use by process $user"
  elif remove_entry 2>/dev/null && ! is_there "./$name"; then printf 'gone %s\\n' "$number"
  else kept "it cannot be removed"
  fi
  if [ -n "$locked" ]; then release "$locked"; fi
  locked=
}
remove_one() {
  if [ "$kind" = marker ] && (has_model_files); then kept "the model still has files"; return; fi
  if is_lost "$path" && [ ! -d "$place" ]; then printf 'gone %s\\n' "$number"; return; fi
  home_=$(pwd)
  if ! cd -P "$place" 2>/dev/null; then kept "its folder cannot be entered"; return; fi
  remove_here
  cd "$home_" 2>/dev/null || cd /
}
# Drops lost files from the record.
clean_fetched() {
  if [ ! -f "$folder/fetched" ]; then return; fi
  while line=; IFS= read -r line || [ -n "$line" ]; do
    if is_lost "/\${line#*/}"; then continue; fi
    printf '%s\\n' "$line" || return
  done <"$folder/fetched" >"$folder/fetched.new" && mv -f "$folder/fetched.new" "$folder/fetched"
}
is_all_lost() {
  {
    awk -F '	' '{ print $5 }' "$folder/files"
    sed 's|^[^/]*||' "$folder/fetched"
  } 2>/dev/null | {
    while IFS= read -r path; do
      if [ -n "$path" ] && ! is_lost "$path"; then exit 1; fi
      for one in "$path".${short}.part "$path".${short}.part.* "$path".${short}.piece-[0-9]*; do
        if is_there "$one"; then exit 1; fi
      done
    done
  }
}
# The description goes last, so that the next run can continue if this one is killed here.
forget() {
  rm -rf "$folder"/new-*
  for one in "$folder"/head-* hash hashing read curl fetcher copy files.new about.new job limits log log.1 process digests state state.new fetched.new fetched files about; do
    rm -f "$folder/\${one##*/}" || return 1
  done
}
`

/**
 * Removes what was shown, each item only if unchanged: `$1` converge's folder, `$2` id of the download, then `file BYTES INODE MODIFIED CHANGED
 * DEVICE PATH`, `part …` and `marker …` alike, and `tree BYTES SUM PATH`. It holds the lock of the job and of each file, so that nothing is
 * fetched meanwhile. Prints `gone NUMBER` or `kept NUMBER WHY` for each, counted from 1, and `record gone`, `cleaned` or `left`; or `busy`.
 */
export const pruneScript = `
root=$1 id=$2
shift 2
folder=$root/fetch/$id
unsafe=$(unsafe_above "$folder")
if [ -n "$unsafe" ]; then echo "unsafe $unsafe"; exit 0; fi
if [ ! -d "$folder" ] || [ -L "$folder" ]; then echo changed; exit 0; fi
identify || exit 1
if lives "$folder/process" || is_starting "$folder" || ! claim "$folder/lock"; then echo busy; exit 0; fi
trap 'give_back; exit 143' HUP INT TERM
number=0
for order in "$@"; do
  split "$order"
  number=$((number + 1))
  case $kind in
    file | part)
      inode=\${stamp#* }
      set -- "$@" "\${stamp##* }" "\${inode%% *}" "$path"
      ;;
  esac
done
orders=$number
# The orders first, then three words per file.
open=$(shift "$orders"; print_open "$@")
number=0
for order in "$@"; do
  number=$((number + 1))
  if [ "$number" -gt "$orders" ]; then break; fi
  split "$order"
  remove_one
done
clean_fetched
if [ -n "$stays" ] || ! is_all_lost; then echo 'record cleaned'; give_back
elif forget; then
  give_back
  rmdir "$folder" 2>/dev/null
  echo 'record gone'
else
  echo 'record left'
  give_back
fi
exit 0
`
