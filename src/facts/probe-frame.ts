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

# The effective one; Linux tells it without a process.
find_uid() {
  uid=
  if [ "$family" = linux ]; then
    while read -r key _ two _; do
      case $key in Uid:) uid=$two ;; esac
    done 2>/dev/null </proc/self/status
  fi
  case $uid in '' | *[!0-9]*) uid=$(id -u) ;; esac
}

# Under sudo, home is that of the login account; the folder is root's, because root writes.
settle() {
  find_uid
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

/**
 * `framed` runs one between its markers: as `section` in the frame's own shell, whose parameters no function can change, as `bounded` in a
 * shell of its own that is killed on timeout.
 */
const framing = `framed() {
  printf '\\n%s begin %s\\n' "$nonce" "$2"
  printf '\\n%s begin %s\\n' "$nonce" "$2" >&2
  "$@"
  printf '\\n%s end %s %s\\n' "$nonce" "$2" "$?"
}

section() {
  fact=fact_$1
  shift
  "$fact" "$@"
}

# Needs its own shell, because only a process can be killed.
bounded() {
  fact=fact_$1
  seconds=$2
  shift 2
  limit "$seconds" /bin/sh -c "$library
$fact \\"\\$@\\"" ${probeName} "$@"
}
`

/** Gathers output and sends it in one piece. */
const blocks = `# in_one_piece COMMAND…: sends its output at once; each line would otherwise be a packet, with as much work for the receiver. On TERM, the
# command ends, and what it has said until then is sent.
in_one_piece() {
  over=
  trap 'over=yes' TERM
  {
    errors=$(
      trap : TERM
      exec 2>&1
      said=$("$@" 3>&-)
      printf '%s\\n' "$said" >&3
    )
  } 3>&1
  printf '%s\\n' "$errors" >&2
  trap - TERM
  if [ -n "$over" ]; then exit 143; fi
}
`

/** Runs the sections: determines account and folders, runs each section between its markers, and ends. */
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
