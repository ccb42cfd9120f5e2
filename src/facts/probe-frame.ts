/** Shows in the host's process list what this is, and lets the probe recognise its own processes, including sudo and login shell. */
export const probeName = 'converge-looks-at-this-host'

/** Calls of sections. */
export interface ProbeCalls {
  /** Sent in one piece, after the last of them ends. */
  readonly atOnce: string
  /** Sent one by one: a section that hangs would hold back the others. */
  readonly oneByOne: string
  /** Likewise, and each may take longer than all of the others. */
  readonly atLast: string
}

/** For all sections that are sent one by one. A host that takes longer is asked again, with a limit for each command. */
export const hasteS = 15

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
 * `framed` runs one between its markers: as `section` in the frame's own shell, whose parameters no function can change, as `within` in a
 * shell of its own that is killed on timeout.
 */
export const framing = `framed() {
  printf '\\n%s begin %s\\n' "$nonce" "$2"
  printf '\\n%s begin %s\\n' "$nonce" "$2" >&2
  "$@"
  printf '\\n%s end %s %s\\n' "$nonce" "$2" "$?"
}

# Takes it out of the environment, where programs would find it.
hide_nonce() {
  mark=$nonce
  unset nonce
  nonce=$mark
}

section() {
  fact=fact_$1
  shift
  "$fact" "$@"
}
`

/**
 * Most hosts do not hang, and each limit costs processes. So all sections first run in one shell that is killed on timeout, without limits of
 * their own; only if it does not end well, they run again with them.
 */
const haste = `# within NAME SECONDS: in its own shell, because only a process can be killed
within() {
  fact=fact_$1
  seconds=$2
  shift 2
  limit "$seconds" /bin/sh -c "$library
$slow
$fact \\"\\$@\\"" ${probeName} "$@"
}

in_haste() {
  export nonce
  limit ${hasteS} /bin/sh -c "$library
$slow
limit() { shift; \\"\\$@\\"; }
limit_last() { shift; exec \\"\\$@\\"; }
within() { name=\\$1; shift 2; section \\"\\$name\\" \\"\\$@\\"; }
hide_nonce
one_by_one \\"\\$@\\"" ${probeName} "$@"
  ended=$?
  hide_nonce
  return "$ended"
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

/** A function that runs the sections that are sent one by one. */
export function runsOneByOne({ oneByOne }: ProbeCalls): string {
  return `one_by_one() {\n${oneByOne}\n}\n`
}

/** Runs the sections: determines account and folders, runs each section between its markers, and ends. */
export function probeFrame({ atOnce, atLast }: ProbeCalls): string {
  return `
${surroundings}
${haste}
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
  in_haste "$@" || {
    printf '\\n%s again\\n' "$nonce"
    eval "$slow"
    one_by_one "$@"
  }
${atLast}
  printf '\\n%s done\\n' "$nonce"
}

system=$(uname -s -n -r -m)
case $system in Darwin\\ *) family=macos ;; Linux\\ *) family=linux ;; *) family=other ;; esac
eval "$library
$quick"
probe "$@" </dev/null
`
}
