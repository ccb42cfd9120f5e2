/**
 * Shell for locks of jobs: a symbolic link to `PID.START@MACHINE:NAME:BOOT`, created atomically together with its holder. Where links are not
 * possible, the lock is a folder with its holder in a file. The lock of a dead process on this machine is free; one of another machine counts as
 * held, because only that machine knows whether its process lives. A machine is identified by its id and either its name or its boot: the name
 * may change with the network, and cloned machines share an id. A file has its lock beside it, because two folders of converge, or two
 * machines, may fetch to the same place. Needs `start_in_proc`, `start_by_ps` and `started_at`.
 */
export const lockFunctions = `
own=
# machine: sets $own once
machine() {
  if [ -n "$own" ]; then return; fi
  machine_id='' boot=''
  for one in /etc/machine-id /var/lib/dbus/machine-id; do
    if [ -r "$one" ]; then read -r machine_id <"$one"; break; fi
  done
  if [ -z "$machine_id" ]; then machine_id=$(ioreg -rd1 -c IOPlatformExpertDevice 2>/dev/null | sed -n 's/.*IOPlatformUUID" = "\\(.*\\)".*/\\1/p'); fi
  one=/proc/sys/kernel/random/boot_id
  if [ -r "$one" ]; then read -r boot <"$one"; else boot=$(sysctl -n kern.bootsessionuuid 2>/dev/null); fi
  node=$(uname -n)
  for one in "\${machine_id:-$node}" "$node" "$boot"; do
    case $one in *[!A-Za-z0-9._-]*) one=$(printf '%s' "$one" | tr -cd 'A-Za-z0-9._-') ;; esac
    own=$own$one:
  done
}
# is_here MACHINE:NAME:BOOT
is_here() {
  machine
  their=\${1#*:} our=\${own#*:}
  if [ "\${1%%:*}" != "\${own%%:*}" ]; then return 1; fi
  if [ "\${their%%:*}" = "\${our%%:*}" ]; then return 0; fi
  their=\${their#*:} our=\${our#*:}
  [ "\${their%%:*}" = "\${our%%:*}" ] && [ -n "\${our%%:*}" ]
}
identify() {
  start=$(start_in_proc "$$") || start=$(start_by_ps "$$") || return 1
  machine
  me=$$.$start@$own
}
is_alive() {
  case $1 in *.*@*) ;; *) return 1 ;; esac
  if ! is_here "\${1##*@}"; then return 0; fi
  one=\${1%@*}
  case $one in *[!0-9]*.* | *.) return 1 ;; esac
  started_at "\${one%%.*}" "\${one#*.}"
}
# holder_of LOCK: sets $held; empty: it is free. Accounts that can write beside a model may have put anything there.
holder_of() {
  held=
  if [ -L "$1" ]; then held=$(readlink "$1" 2>/dev/null)
  elif [ -d "$1" ] && [ -f "$1/holder" ] && [ ! -L "$1/holder" ]; then held=$(head -c 300 "$1/holder")
  fi
  case $held in *[!0-9A-Za-z._@:-]*) held=unknown ;; esac
}
is_held_by() { holder_of "$1"; [ "$held" = "$2" ]; }
# make_lock LOCK: 1 if the name is taken, 2 if it cannot be created
make_lock() {
  if [ -L "$1" ] || [ -e "$1" ]; then return 1; fi
  if ln -s "$me" "$1" 2>/dev/null; then return 0; fi
  if [ -L "$1" ] || [ -e "$1" ]; then return 1; fi
  mkdir "$1" 2>/dev/null || { if [ -e "$1" ]; then return 1; fi; return 2; }
  printf '%s\\n' "$me" >"$1/holder" || { remove_lock "$1"; return 2; }
}
remove_lock() { if [ -d "$1" ] && [ ! -L "$1" ]; then rm -f "$1/holder" && rmdir "$1" 2>/dev/null; else rm -f "$1"; fi; }
# claim LOCK: 1 if another process holds it, 2 if it cannot be created. If several find it stale, one takes it over at a time.
claim() {
  claims=0
  while [ "$claims" -lt 9 ]; do
    claims=$((claims + 1))
    make_lock "$1"
    case $? in
      0) return 0 ;;
      2) return 2 ;;
    esac
    holder_of "$1"
    holder=$held
    if [ "$holder" = "$me" ]; then return 0; fi
    if [ -z "$holder" ]; then
      # It was released, or its holder has not written its name yet.
      if [ ! -e "$1" ] && [ ! -L "$1" ]; then continue; fi
            # Or its holder was killed before that. A folder that is not empty stays.
      if [ -d "$1" ] && [ ! -L "$1" ] && [ -n "$(find "$1" -prune -mmin +1 2>/dev/null)" ] && rmdir "$1" 2>/dev/null; then continue; fi
      if [ "$claims" -lt 3 ]; then sleep 1; continue; fi
      holder=unknown
      return 1
    fi
    if is_alive "$holder"; then return 1; fi
    if ! make_lock "$1.taking"; then
      holder_of "$1.taking"
      left=$held
      if [ -n "$left" ] && ! is_alive "$left" && mv "$1.taking" "$1.taking.$$" 2>/dev/null; then
        if is_held_by "$1.taking.$$" "$left"; then remove_lock "$1.taking.$$"; else mv "$1.taking.$$" "$1.taking"; fi
      fi
      sleep 1
      continue
    fi
    if is_held_by "$1" "$holder"; then remove_lock "$1"; fi
    make_lock "$1"
    claimed=$?
    remove_lock "$1.taking"
    if [ "$claimed" = 0 ] && is_held_by "$1" "$me"; then return 0; fi
  done
  return 1
}
# sweep LOCK: removes what a process left that was killed while taking over a stale lock
sweep() {
  for left in "$1".taking "$1".taking.[0-9]* "$1".[0-9]*; do
    holder_of "$left"
    if [ -n "$held" ] && ! is_alive "$held"; then remove_lock "$left"; fi
  done
}
release() { if is_held_by "$1" "$me"; then remove_lock "$1"; fi; }
claim_file() {
  locked=
  claim "$path.lock"
  case $? in
    0) locked=$path.lock ;;
    1) fail busy "$path.lock is held by $holder; remove it if that machine or process is gone" ;;
        # Request no bytes that cannot be stored.
    2) cannot_write "$path.lock cannot be created" ;;
  esac
}
holds_file() { [ -z "$locked" ] || is_held_by "$locked" "$me"; }
release_file() {
  if [ -n "$locked" ]; then release "$locked"; fi
  locked=
}
`
