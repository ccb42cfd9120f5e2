import { ConvergeError } from '../errors/converge-error.ts'
import { defined } from '../lib/defined.ts'
import type { Resident } from '../model/facts.ts'
import { Secret } from '../model/secret.ts'
import type { SurveyedAgent, SurveyedProcess } from '../model/survey.ts'
import type { KeyOrigin } from '../servers/read-back.ts'
import { ReadOnlyScript } from '../transports/read-only-script.ts'
import type { HostView } from '../transports/transport.ts'

/** Larger files contain no key. */
const largest = 16 * 1024

/**
 * `$1` the pid, `$2` its start, `$3` how it has its key, `$4` the flag or variable, `$5` the file, `$6` its job in launchd, `system/LABEL`, or the label of an agent; empty: none; `$7` its account. Prints
 * the words of its command line, its environment or the file, one for each line. macOS shows no environment of a process, but that of a job. A file
 * is read as the account of the process.
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
    case $label in system/*) ;; *) label=gui/\${SUDO_UID:-$(id -u)}/$label ;; esac
    launchctl print "$label" | awk '
      /^[ \\t]*environment = [{]/ { on = 1; next }
      /^[ \\t]*[}]/ { on = 0 }
      on && sub(/^[ \\t]+/, "") && sub(/ => /, "=")'
  fi
}
# as_owner: with no more rights than the process has, which names the file.
as_owner() {
  if [ "$(id -u)" != 0 ] || [ "$user" = root ]; then "$@"
  elif command -v sudo >/dev/null 2>&1; then sudo -n -u "$user" -- "$@"
  else runuser -u "$user" -- "$@"
  fi
}
case $how in
argument) words cmdline | awk -v flag="$name" 'found { print; exit } $0 == flag { found = 1 } index($0, flag "=") == 1 { print substr($0, length(flag) + 2); exit }' ;;
variable) words environ | awk -v name="$name" 'index($0, name "=") == 1 { print substr($0, length(name) + 2); exit }' ;;
file) as_owner head -c ${largest} "$file" ;;
esac`

export type KeyProcess = Pick<Resident, 'pid' | 'start' | 'user'> & Pick<SurveyedProcess, 'agent' | 'daemon'>

function jobWord(agent: SurveyedAgent | undefined, daemon: SurveyedAgent | undefined): string {
  if (agent !== undefined) return agent.label ?? ''
  return typeof daemon?.label === 'string' ? `system/${daemon.label}` : ''
}

/**
 * The key that a running server has, to be kept on the controller. A secret from the moment it arrives. Undefined: unreadable, or not a single
 * key of visible ASCII characters.
 */
export async function keyOfProcess(
  view: HostView,
  { pid, start, user, agent, daemon }: KeyProcess,
  { by, name, path = '' }: KeyOrigin,
  signal?: AbortSignal,
): Promise<Secret | undefined> {
  const script = {
    label: 'read the key of a server',
    text: [text],
    args: [String(pid), start, by, name, path, jobWord(agent, daemon), user],
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
