/**
 * Shell for the target of a file: its folder, its partial files, and the folder of its job. Uses `$folder` of the job, `$path` and `$hex`, and
 * `fail REASON WORDS`, which does not return.
 */
export const placeFunctions = `
note() { printf '%s %s\\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$*" >>"$folder/log"; }
set_state() { printf '%s\\n' "$1" >"$folder/state.new" && mv -f "$folder/state.new" "$folder/state"; }
# drop FILE…: removes those that are there; no process where there is none
drop() {
  for dropped in "$@"; do
    shift
    if [ -e "$dropped" ] || [ -L "$dropped" ]; then set -- "$@" "$dropped"; fi
  done
  [ $# = 0 ] || rm -f "$@"
}
name_parts() {
  short=\${hex%"\${hex#????????}"}
  part=$path.$short.part
  piece=$path.$short.piece-
  heads=$folder/head-$short-
}
# fresh FILE: creates it empty, without following a link that another account may have put there.
fresh() { drop "$1" && (set -C; : >"$1") 2>/dev/null; }
# Other accounts with write access must not choose what a job appends to, or waits for.
is_plain() { [ ! -L "$1" ] && { [ ! -e "$1" ] || [ -f "$1" ]; }; }
must_be_plain() {
  if [ -L "$1" ]; then rm -f "$1"; fi
  is_plain "$1" || fail unwritable "$1 is not a regular file, and this job did not create it"
}
mark_folder() {
  if [ -z "$marker" ]; then return; fi
  must_be_plain "$marker"
  if [ ! -e "$marker" ]; then fresh "$marker" || cannot_write "its folder refuses files"; fi
}
# Fails if the disk is full, or the folder is not writable.
check_disk() {
  drop "$part.probe"
  said=$({ (set -C; exec dd if=/dev/zero bs=65536 count=16 >"$part.probe"); } 2>&1)
  dd_ended=$?
  rm -f "$part.probe"
  case $dd_ended$said in
    0*) return 0 ;;
    *'o space left'* | *'uota exceeded'* | *'oo large'*) fail full "the disk of $path is full; what has arrived is kept" ;;
    *) fail unwritable "\${path%/*} is not writable" ;;
  esac
}
cannot_write() {
  check_disk
  fail unwritable "$path: $1"
}
volume_of() { df -P "$1" 2>/dev/null | awk 'END { print $NF }'; }
not_mounted() {
  fail unwritable "\${path%/*} does not exist below \${above:-/}: mount its volume, or create the folder"
}
# If a volume is not mounted, its files would fill the disk below.
make_folder() {
  above=\${path%/*}
  while [ ! -d "\${above:-/}" ]; do above=\${above%/*}; done
  if [ "$above" != "\${path%/*}" ]; then
    case $above in
      '' | /Volumes | /mnt | /media | /run/media) not_mounted ;;
      /media/* | /run/media/*) if [ "$(volume_of "$above")" = "$(volume_of /)" ]; then not_mounted; fi ;;
    esac
    mkdir -p "\${path%/*}" || cannot_write "its folder cannot be created"
  fi
}
`
