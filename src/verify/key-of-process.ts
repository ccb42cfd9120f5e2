import { ConvergeError } from '../errors/converge-error.ts'
import { defined } from '../lib/defined.ts'
import type { Resident } from '../model/facts.ts'
import { Secret } from '../model/secret.ts'
import type { SurveyedProcess } from '../model/survey.ts'
import type { KeyOrigin } from '../servers/read-back.ts'
import { ReadOnlyScript } from '../transports/read-only-script.ts'
import type { HostView } from '../transports/transport.ts'

/** Larger files contain no key. */
const largest = 16 * 1024

/**
 * `$1` the pid, `$2` its start, `$3` how it has its key, `$4` the flag or variable, `$5` the file, `$6` the label of its agent; empty: none; `$7` its account. Prints
 * the words of its command line, its environment or the file, one for each line. macOS shows no environment of a process, but that of a job. A file
 * must be one that the process itself can read, without a link: its name comes from the process.
 */
const text = `pid=$1 start=$2 how=$3 name=$4 file=$5 label=$6 user=$7
if [ -r "/proc/$pid/stat" ]; then
  stat=$(cat "/proc/$pid/stat") || exit 1
  # shellcheck disable=SC2086
  set -- \${stat##*) }
  shift 19
  [ "$1" = "$start" ] || exit 1
fi
words() {
  if [ -r "/proc/$pid/$1" ]; then tr '\\000\\012' '\\012\\001' <"/proc/$pid/$1"
  elif [ "$1" = cmdline ]; then ps -ww -o args= -p "$pid" | tr ' ' '\\012'
  elif [ -n "$label" ]; then
    launchctl print "gui/\${SUDO_UID:-$(id -u)}/$label" | awk '
      /^[ \\t]*environment = [{]/ { on = 1; next }
      /^[ \\t]*[}]/ { on = 0 }
      on && sub(/^[ \\t]+/, "") && sub(/ => /, "=")'
  fi
}
# may_read: the owner of the process can read the file; on macOS: owns it.
may_read() {
  if [ ! -d "/proc/$pid" ]; then [ ! -L "$file" ] && [ "$(stat -f %Su "$file")" = "$user" ]; return; fi
  [ "$(readlink -f "$file")" = "$file" ] || return 1
  found=$(stat -c '%u %g %a' "$file") || return 1
  # shellcheck disable=SC2086
  set -- $found $(awk '/^Uid:/ { print $3 } /^(Gid|Groups):/ { $1 = ""; groups = groups $0 } END { print groups }' "/proc/$pid/status")
  owner=$1 group=$2 mode=$3 uid=$4
  shift 4
  if [ "$owner" = "$uid" ]; then return 0; fi
  case $mode in *[4567]) return 0 ;; *[4567]?) case " $* " in *" $group "*) return 0 ;; esac ;; esac
  return 1
}
case $how in
argument) words cmdline | awk -v flag="$name" 'found { print; exit } $0 == flag { found = 1 } index($0, flag "=") == 1 { print substr($0, length(flag) + 2); exit }' ;;
variable) words environ | awk -v name="$name" 'index($0, name "=") == 1 { print substr($0, length(name) + 2); exit }' ;;
file)
  [ -f "$file" ] && may_read || exit 1
  size=$(wc -c <"$file") && [ "$size" -le ${largest} ] || exit 1
  cat "$file"
  ;;
esac`

export type KeyProcess = Pick<Resident, 'pid' | 'start' | 'user'> & Pick<SurveyedProcess, 'agent'>

/**
 * The key that a running server has, to be kept on the controller. A secret from the moment it arrives. Undefined: unreadable, or not a single
 * key of visible ASCII characters.
 */
export async function keyOfProcess(
  view: HostView,
  { pid, start, user, agent }: KeyProcess,
  { by, name, path = '' }: KeyOrigin,
  signal?: AbortSignal,
): Promise<Secret | undefined> {
  const script = {
    label: 'read the key of a server',
    text: [text],
    args: [String(pid), start, by, name, path, agent?.label ?? '', user],
    elevate: true,
    timeoutMs: 10_000,
  }
  try {
    const { exitCode, stdout } = await view.look(ReadOnlyScript.vouchedFor(script), defined({ signal }))
    const [key = '', ...rest] = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    return exitCode === 0 && rest.length === 0 && /^[\x21-\x7e]{1,4096}$/.test(key) && key !== '***'
      ? new Secret(key, `the ${by} of process ${pid}`)
      : undefined
  } catch (error) {
    if (error instanceof ConvergeError) return undefined
    throw error
  }
}
