import { digestFunction } from '../managers/linux-checks.ts'
import { temporaryGlob } from '../model/beside.ts'

/**
 * Shell for `put` and `delete` steps; `mark` comes from `guardedScript`. When one of these stops with `file REASON`, the target
 * file is unchanged.
 */

const common = `
refuse() {
  mark "file $1"
  exit 92
}
only_regular_file() {
  case $1 in /*[!/]) ;; *) refuse not-absolute ;; esac
  if [ -L "$1" ]; then refuse symlink; fi
  if [ -e "$1" ] && [ ! -f "$1" ]; then refuse not-a-file; fi
}
flush() {
  sync "$1" >/dev/null 2>&1 || :
}
remove_leftovers() {
  for leftover in "$1/.$2"${temporaryGlob}; do
    if [ -f "$leftover" ] && [ ! -L "$leftover" ]; then rm -f "$leftover"; fi
  done
}
`

/** Needs the functions `content` (prints the content and one dot) and `validate` (gets the temporary file and its arguments). */
export const putFunctions = `${common}
make_folders() {
  case $1 in '' | /) return 0 ;; esac
  if [ -d "$1" ]; then return 0; fi
  make_folders "\${1%/*}" || return 1
  mkdir -m "$folder_mode" "$1" || [ -d "$1" ]
}
${digestFunction}
`

/** `$1` target, `$2` mode, `$3` owner or empty, `$4` mode of new folders; the rest is for `validate`. Leaves nothing behind. */
export const rehearseAct = `
target=$1 mode=$2 owner=$3 folder_mode=$4
shift 4
umask 077
case $(command -v printf) in */*) refuse no-printf ;; esac
only_regular_file "$target"
folder=\${target%/*}
name=\${target##*/}
make_folders "$folder" || refuse folder
remove_leftovers "$folder" "$name"
temporary=
trap 'if [ -n "$temporary" ]; then rm -f "$temporary"; fi' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 141' PIPE
trap 'exit 143' TERM
temporary=$(mktemp "$folder/.$name.converge.XXXXXX") || refuse temporary
text=$(content)
printf %s "\${text%.}" | cat >"$temporary" || refuse write
if [ -n "$owner" ]; then chown "$owner" "$temporary" || refuse owner; fi
chmod "$mode" "$temporary" || refuse mode
(validate "$temporary" "$@") >&2 || refuse validate
`

/** The same, then moves the new file into place. */
export const putAct = `${rehearseAct}flush "$temporary"
only_regular_file "$target"
mv -f "$temporary" "$target" || refuse rename
temporary=
flush "\${folder:-/}"
`

/** Goes before one of the two: `$1` SHA-256, the rest is for the script. Stops here unless the target has this digest. */
export const onlyInPlaceOf = `
if [ -L "$2" ] || [ ! -f "$2" ]; then exit 0; fi
now=$(digest "$2") || refuse unread
if [ "$now" != "$1" ]; then exit 0; fi
shift
`

export const deleteFunctions = common

/** `$1` target. A missing file is success. */
export const deleteAct = `
only_regular_file "$1"
folder=\${1%/*}
if [ -d "\${folder:-/}" ]; then remove_leftovers "$folder" "\${1##*/}"; fi
if [ ! -e "$1" ]; then exit 0; fi
rm -f "$1" || refuse remove
flush "\${folder:-/}"
`
