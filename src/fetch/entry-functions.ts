/**
 * Shell for entries on disk, without following links. `entry_stamp PATH`: `BYTES INODE MODIFIED CHANGED DEVICE`. `tree_of FOLDER`: `BYTES SUM` of
 * its content, without other volumes. `is_starting FOLDER`: a job in that folder has its input but has not begun. Needs `$family`.
 */
export const entryFunctions = `
entry_stamp() {
  if [ "$family" = macos ]; then stat -f '%z %i %m %c %d' "$1"; else stat -c '%s %i %Y %Z %d' "$1"; fi 2>/dev/null
}
tree_of() (
  cd "$1" || exit
  if [ "$family" = macos ]; then set -- -f '%p %z %i %m %c %N'; else set -- -c '%f %s %i %Y %Z %n'; fi
  listed=$(find . -xdev -exec stat "$@" {} + | sort)
  printf '%s ' "$(printf '%s\\n' "$listed" | awk '{ bytes += $2 } END { printf "%.0f", bytes }')"
  printf '%s\\n' "$listed" | if command -v cksum >/dev/null 2>&1; then cksum | tr ' ' :; else sha256sum | cut -c 1-64; fi
)
is_starting() { [ -n "$(find "$1"/new-* -prune -mmin -10 2>/dev/null | head -n 1)" ]; }
`
