/**
 * Shell for locks of jobs: a symbolic link that leads to `PID.START@MACHINE` comes to be with its holder in it, and only one can make it. What
 * is held by a process of this machine that is gone is free; of another machine nobody knows, so it is held. A file is locked beside itself,
 * because two folders of converge, or two machines, may fetch into one place. Needs `start_in_proc` and `start_by_ps`.
 */
export const lockFunctions = `
identify() {
  start=$(start_in_proc "$$") || start=$(start_by_ps "$$") || return 1
  me=$$.$start@$(uname -n)
}
is_alive() {
  case $1 in *.*@*) ;; *) return 1 ;; esac
  if [ "\${1##*@}" != "$(uname -n)" ]; then return 0; fi
  one=\${1%@*}
  case $one in *[!0-9]*.* | *.) return 1 ;; esac
  [ "$(start_in_proc "\${one%%.*}")" = "\${one#*.}" ] || [ "$(start_by_ps "\${one%%.*}")" = "\${one#*.}" ]
}
# claim LINK: 1 while another holds it, 2 where no links can be made. Of two who find it free one moves it away; who moved one that had
# become another's meanwhile puts that back.
claim() {
  claims=0
  while [ "$claims" -lt 9 ]; do
    claims=$((claims + 1))
    if ln -s "$me" "$1" 2>/dev/null; then return 0; fi
    holder=$(readlink "$1" 2>/dev/null) || { [ -e "$1" ] && return 1; [ "$claims" -lt 3 ] && continue; return 2; }
    if [ "$holder" = "$me" ]; then return 0; fi
    if is_alive "$holder"; then return 1; fi
    mv "$1" "$1.$$" 2>/dev/null || continue
    moved=$(readlink "$1.$$")
    rm -f "$1.$$"
    if [ "$moved" != "$holder" ]; then ln -s "$moved" "$1"; fi
  done
  return 1
}
# sweep LINK: what is left of one who was killed while it moved that of another who was gone
sweep() {
  for left in "$1".[0-9]*; do
    holder=$(readlink "$left" 2>/dev/null) || continue
    if ! is_alive "$holder"; then rm -f "$left"; fi
  done
}
release() { if [ "$(readlink "$1" 2>/dev/null)" = "$me" ]; then rm -f "$1"; fi; }
claim_file() {
  locked=
  claim "$path.lock"
  case $? in
    0) locked=$path.lock ;;
    1) fail busy "$path.lock is held by $holder; where that machine or process is gone, remove it" ;;
    # No links, or no files at all: who asks for bytes is to have a place for them.
    2) check_disk ;;
  esac
}
holds_file() { [ -z "$locked" ] || [ "$(readlink "$locked")" = "$me" ]; }
release_file() {
  if [ -n "$locked" ]; then release "$locked"; fi
  locked=
}
`
