/** In the process list of the host: who it is, and how the probe knows its own processes, sudo and login shell included. */
export const probeName = 'converge-looks-at-this-host'

/** Calls of sections. */
export interface ProbeCalls {
  /** Sent together, when the last of them has ended. */
  readonly atOnce: string
  /** Sent as they come, for the one that hangs takes what waits with it. */
  readonly oneByOne: string
}

/** Who and where we are. The usual places of `docker` and others are looked at after the system's own, which a bare PATH has. */
const surroundings = `add_places() {
  for place in /usr/local/bin /opt/homebrew/bin /usr/sbin /sbin /usr/local/sbin /opt/bin /snap/bin \\
    /var/packages/*/target/usr/bin /share/*/.qpkg/container-station/bin /opt/*/bin; do
    case :$PATH: in *":$place:"*) ;; *) if [ -d "$place" ]; then PATH=$PATH:$place; fi ;; esac
  done
  export PATH
}

choose_limiter() {
  limiter=watch
  if command -v timeout >/dev/null 2>&1; then
    case $(timeout --version 2>/dev/null) in *coreutils*) limiter=timeout ;; esac
  fi
}

# After sudo, home is that of the account that logged in; root's folder is where root writes.
settle() {
  uid=$(id -u)
  user=\${SUDO_USER:-\${DOAS_USER:-\${LOGNAME:-\${USER:-}}}}
  case $user in '' | *[!A-Za-z0-9._-]* | [.-]*) user=$(id -un) ;; esac
  home=\${HOME:-}
  if [ -n "\${SUDO_USER:-}\${DOAS_USER:-}" ] || [ -z "$home" ]; then
    eval "home=~$user"
    case $home in /*) ;; *) home=\${HOME:-} ;; esac
  fi
  if [ "$uid" = 0 ]; then root=/etc/converge; else root=\${HOME:-$home}/.config/converge; fi
  for asked in "$@"; do
    case $asked in
    'root=~/'*) root=$home/\${asked#'root=~/'} ;;
    root=*) root=\${asked#root=} ;;
    esac
  done
}
`

/** A section between its marks, in a subshell; and one that is ended when its time is up. */
const framing = `section() {
  name=$1
  shift
  printf '\\n%s begin %s\\n' "$nonce" "$name"
  printf '\\n%s begin %s\\n' "$nonce" "$name" >&2
  ("fact_$name" "$@")
  printf '\\n%s end %s %s\\n' "$nonce" "$name" "$?"
}

# A shell of its own, because only a process can be ended.
bounded() {
  name=$1
  seconds=$2
  shift 2
  printf '\\n%s begin %s\\n' "$nonce" "$name"
  printf '\\n%s begin %s\\n' "$nonce" "$name" >&2
  limit "$seconds" /bin/sh -c "$library
fact_$name \\"\\$@\\"" ${probeName} "$@"
  printf '\\n%s end %s %s\\n' "$nonce" "$name" "$?"
}
`

/** What is sent together, when the last of it has ended. */
const blocks = `# Outlives the end of the probe, for what was found until then is still to be handed over; that takes the end of all who write.
collect() {
  trap '' TERM
  if command -v setsid >/dev/null 2>&1; then exec setsid dd obs=65536 2>/dev/null; fi
  exec dd obs=65536 2>/dev/null
}

# in_one_piece COMMAND…: what it prints, in few large blocks; line by line each would be a packet, as much work for the other end
in_one_piece() {
  if dd obs=65536 </dev/null >/dev/null 2>&1; then
    over=
    trap 'over=yes' TERM
    { { "$@" | collect; } 2>&1 >&3 3>&- | collect >&2; } 3>&1
    trap - TERM
    if [ -n "$over" ]; then exit 143; fi
  else
    "$@"
  fi
}
`

/** Goes around the sections: finds out who and where we are, runs each section in a subshell between its marks, and ends. */
export function probeFrame({ atOnce, oneByOne }: ProbeCalls): string {
  return `
${surroundings}
${framing}
${blocks}
at_once() {
${atOnce}
  printf '\\n%s whole\\n' "$nonce"
}

probe() {
  LC_ALL=C
  PYTHONDONTWRITEBYTECODE=1
  export LC_ALL PYTHONDONTWRITEBYTECODE
  unset CDPATH TIME_STYLE QUOTING_STYLE
  add_places
  choose_limiter
  settle "$@"
  export family limiter uid home root redactor
  in_one_piece at_once "$@"
${oneByOne}
  printf '\\n%s done\\n' "$nonce"
}

system=$(uname -s -n -r -m)
case $system in Darwin\\ *) family=macos ;; Linux\\ *) family=linux ;; *) family=other ;; esac
eval "$library"
probe "$@" </dev/null
`
}
