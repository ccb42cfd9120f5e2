import { auditFunctions } from './audit-log.ts'
import { lockFunctions } from './lock-scripts.ts'

/** `$1` the lock. Prints `free`, or `held AGE OWNER`. */
export const showScript = `${lockFunctions}
if [ ! -e "$1" ] && [ ! -L "$1" ]; then echo free; exit 0; fi
if [ ! -d "$1" ]; then echo "$1 is no folder" >&2; exit 1; fi
printf 'held %s %s\\n' "$(age_of "$1")" "$(cat "$1/owner" 2>/dev/null)"
`

/**
 * `$1` the lock, `$2` the owner line that was shown, `$3` our token, `$4` our owner line, `$5` `dead` or `living`: as it was shown,
 * `$6` seconds after which a silent lock is dead, `$7` seconds after which no command of its holder can still run; then the log on the
 * host and lines for it. Prints `removed`, or why not: `gone`, `changed OWNER`, `alive AGE`, `busy` or `left NAMES`.
 *
 * A command of the old holder sees a new owner through `watchScript` and ends. So this script holds the lock until such a command has
 * ended, and only then frees it. On a full disk, where no owner can be written, the lock has none meanwhile.
 */
export const removeScript = `${lockFunctions}${auditFunctions}
lock=$1 shown=$2 token=$3 owner=$4 expected=$5 ttl=$6 settle=$7
shift 7
as_shown() {
  [ -d "$lock" ] || { echo gone; return 1; }
  found=$(cat "$lock/owner" 2>/dev/null)
  [ "$found" = "$shown" ] || { printf 'changed %s\\n' "$found"; return 1; }
}
as_shown || exit 0
age=$(age_of "$lock")
if [ "$expected" = dead ] && [ "$age" -lt "$ttl" ]; then echo "alive $age"; exit 0; fi
if older_than_minutes "$lock/heir" 1; then rmdir "$lock/heir" 2>/dev/null; fi
if ! said=$(mkdir "$lock/heir" 2>&1); then
  case $said in *'ile exists'*) echo busy; exit 0 ;; *'o such file'*) echo gone; exit 0 ;; esac
  printf '%s\\n' "$said" >&2
  exit 1
fi
trap 'rmdir "$lock/heir" 2>/dev/null' EXIT
as_shown || exit 0
put_line "$lock/owner" "$owner" || rm -f "$lock/owner" || exit 1
sleep "$settle"
{ open_log "$1"; write_down "$@"; } 2>/dev/null
rm -f "$lock/beat" "$lock/beat.new" "$lock/owner.new" "$lock/owner" || exit 1
rmdir "$lock/heir"
if said=$(rmdir "$lock" 2>&1); then echo removed; exit 0; fi
if left=$(foreign_in "$lock"); then printf 'left %s\\n' "$(printf %s "$left" | tr '\\n' ' ')"; exit 0; fi
printf '%s\\n' "$said" >&2
exit 1
`
