import { ConvergeError } from '../errors/converge-error.ts'
import { defined } from '../lib/defined.ts'
import { Secret } from '../model/secret.ts'
import type { SurveyedProcess } from '../model/survey.ts'
import type { KeyOrigin } from '../servers/read-back.ts'
import { ReadOnlyScript } from '../transports/read-only-script.ts'
import type { HostView } from '../transports/transport.ts'

/** Larger files contain no key. */
const largest = 16 * 1024

/**
 * `$1` the pid, `$2` how it has its key, `$3` the flag or variable, `$4` the file as the process sees it, `$5` the label of its agent; empty: none.
 * Prints the words of its command line, its environment or the file, one for each line. macOS shows no environment of a process, but that of a job.
 */
const text = `words() {
  if [ -r "/proc/$1/$2" ]; then tr '\\000\\012' '\\012\\001' <"/proc/$1/$2"
  elif [ "$2" = cmdline ]; then ps -ww -o args= -p "$1" | tr ' ' '\\012'
  elif [ -n "$3" ]; then
    launchctl print "gui/\${SUDO_UID:-$(id -u)}/$3" | awk '
      /^[ \\t]*environment = [{]/ { on = 1; next }
      /^[ \\t]*[}]/ { on = 0 }
      on && sub(/^[ \\t]+/, "") && sub(/ => /, "=")'
  fi
}
case $2 in
argument) words "$1" cmdline | awk -v flag="$3" 'found { print; exit } $0 == flag { found = 1 } index($0, flag "=") == 1 { print substr($0, length(flag) + 2); exit }' ;;
variable) words "$1" environ "$5" | awk -v name="$3" 'index($0, name "=") == 1 { print substr($0, length(name) + 2); exit }' ;;
file)
  file=$4
  if [ -d "/proc/$1/root" ]; then file=/proc/$1/root$4; fi
  [ -f "$file" ] || exit 1
  size=$(wc -c <"$file") && [ "$size" -le ${largest} ] || exit 1
  cat "$file"
  ;;
esac`

/**
 * The key that a running server has, to be kept on the controller. A secret from the moment it arrives. Undefined: unreadable, or not a single
 * key of visible ASCII characters.
 */
export async function keyOfProcess(
  view: HostView,
  { pid, agent }: Pick<SurveyedProcess, 'pid' | 'agent'>,
  { by, name, path = '' }: KeyOrigin,
  signal?: AbortSignal,
): Promise<Secret | undefined> {
  const script = {
    label: 'read the key of a server',
    text: [text],
    args: [String(pid), by, name, path, agent?.label ?? ''],
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
