/** Shows in the host's process list what this is, and lets the probe recognise its own processes, including sudo and login shell. */
export const probeName = 'converge-looks-at-this-host'

/** Calls of sections. */
export interface ProbeCalls {
  /** Sent in one piece, after the last of them ends. */
  readonly atOnce: string
  /** Sent one by one: a section that hangs would hold back the others. */
  readonly oneByOne: string
}

/** Determines account and folders. The usual folders of `docker` and others are appended to the PATH, which may be minimal. */
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

# Under sudo, home is that of the login account; the folder is root's, because root writes.
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

/** `section` runs one in a subshell between its markers; `bounded` also kills it on timeout. */
const framing = `section() {
  name=$1
  shift
  printf '\\n%s begin %s\\n' "$nonce" "$name"
  printf '\\n%s begin %s\\n' "$nonce" "$name" >&2
  ("fact_$name" "$@")
  printf '\\n%s end %s %s\\n' "$nonce" "$name" "$?"
}

# Needs its own shell, because only a process can be killed.
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

/** Buffers output and sends it in one piece. */
const blocks = `# Ignores TERM, because it still has to deliver what was gathered; it ends when all writers have ended.
collect() {
  trap '' TERM
  if command -v setsid >/dev/null 2>&1; then exec setsid dd obs=65536 2>/dev/null; fi
  exec dd obs=65536 2>/dev/null
}

# in_one_piece COMMAND…: sends its output in few large blocks; each line would otherwise be a packet, with as much work for the receiver
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

/** Runs the sections: determines account and folders, runs each section in a subshell between its markers, and ends. */
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
  export family limiter user uid home root redactor
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
