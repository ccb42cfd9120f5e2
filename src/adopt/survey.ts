import { firstWords, linesOf, strangeLine, strangeOrder } from '../facts/fact.ts'
import { readJob } from '../facts/launchd-domain.ts'
import { redactAwk } from '../facts/redact-awk.ts'
import { known, type Observed, unknown } from '../model/observed.ts'
import type { SurveyedAgent, SurveyedProcess } from '../model/survey.ts'

/**
 * Prints a block for each pid: `pid N`, `g CGROUP`, `m MAINPID` of its unit, `v` if its environment is readable, then of what configures
 * model servers and of what its unit sets `e NAME=VALUE`, and `k NAME` for keys and for what is too long, `l LABEL` of an agent with its
 * loaded job after bars, `d LABEL` of a daemon, likewise; a label with other characters shows as `?`. `end` confirms that it is complete. Arguments:
 * `PID:PPID`.
 */
export const surveyScript = `
redactor='${redactAwk}'
table() {
  words=$(launchctl print "$1" 2>&1)
  case $? in
  0) printf '%s\\n' "$words" | awk '/^[ \\t]*services = [{]/ { on = 1; next } /^[ \\t]*[}]/ { on = 0 } on' ;;
  112 | 125) ;;
  *) printf '%s\\n' "$words" >&2; return 1 ;;
  esac
}
job_of() { launchctl print "$1" 2>/dev/null | sed 's/^/|/' | awk "$redactor"; }
label_in() {
  printf '%s\\n' "$1" | awk -v pid="$2" -v parent="$3" '
    $1 !~ /^[1-9][0-9]*$/ || ($1 != pid && $1 != parent) { next }
    { of = $1; sub(/^[ \\t]*[0-9]+[ \\t]+[^ \\t]+[ \\t]+/, ""); label[of] = ($0 ~ /^[A-Za-z0-9_.-]+$/) ? $0 : "?" }
    END { if (pid in label) print label[pid]; else if (parent in label) print label[parent] }'
}
if command -v launchctl >/dev/null 2>&1; then
  domain=gui/\${SUDO_UID:-$(id -u)}
  agents=$(table "$domain") && daemons=$(table system) || exit 1
fi
for one; do
  pid=\${one%%:*} parent=\${one#*:}
  printf 'pid %s\\n' "$pid"
  group= own=
  if [ -r "/proc/$pid/cgroup" ]; then
    group=$(sed -n -e 's/^0:://p' -e 's/^[0-9]*:name=systemd://p' "/proc/$pid/cgroup" | head -n 1)
    if [ -n "$group" ]; then printf 'g %s\\n' "$group"; fi
  fi
  unit=\${group##*/}
  case $group in
  */user@*.service/*) ;;
  *.service)
    systemctl show -p MainPID -- "$unit" 2>/dev/null | sed -n 's/^MainPID=\\([1-9][0-9]*\\)$/m \\1/p'
    own=$(systemctl show -p Environment -- "$unit" 2>/dev/null)
    ;;
  esac
  if true 2>/dev/null <"/proc/$pid/environ"; then
    echo v
    tr '\\000\\012' '\\012\\001' <"/proc/$pid/environ" | own=" \${own#Environment=}" awk -F= '
      $1 !~ /^[A-Za-z][A-Za-z0-9_]*$/ { next }
      { known = ($1 ~ /^(LLAMA_[A-Z0-9_]+|CTX|RAM_GB|[A-Z][A-Z0-9_]*_(MODEL|API_KEY|KV_SLOTS))$/) }
      !known && ENVIRON["own"] !~ ("[ \\"\\047]" $1 "=") { next }
      { secret = known ? "(key|token|secret|password)$" : "key|token|secret|pass|pwd|credential|auth" }
      tolower($1) ~ secret || length($0) >= 4096 { print "k " $1; next }
      { print "e " $0 }'
  fi
  label=$(label_in "\${agents-}" "$pid" "$parent")
  if [ -n "$label" ]; then
    printf 'l %s\\n' "$label"
    if [ "$label" != '?' ]; then job_of "$domain/$label"; fi
  fi
  label=$(label_in "\${daemons-}" "$pid" "$parent")
  if [ -n "$label" ]; then
    printf 'd %s\\n' "$label"
    if [ "$label" != '?' ]; then job_of "system/$label"; fi
  fi
done
echo end
`

const shape = /^(pid [1-9]\d{0,9}|g \/.*|m [1-9]\d{0,9}|v|e [A-Za-z]\w*=.*|k [A-Za-z]\w*|[ld] ([\w.-]+|\?)|\|.*|end)$/
const order = /^pid (g )?(m )?(v ([ek] )*)?(l (\| )*)?(d (\| )*)?$/
/** A definition and its environment fit into fewer characters. */
const longest = 64 * 1024

/**
 * @param asked the processes that the host was asked about
 * @returns unknown: the answer is incomplete, or not one
 */
export function readSurvey(text: string, asked: readonly number[]): Observed<readonly SurveyedProcess[]> {
  const lines = linesOf(text)
  if (lines.at(-1) !== 'end') return unknown('unreadable', 'the answer is incomplete')
  const strange = strangeLine(lines, shape) ?? strangeLine(lines.slice(0, -1), /^(?!end$)/)
  if (strange !== undefined) return strange
  const long = lines.find((line) => line.length > longest)
  if (long !== undefined) return unknown('unreadable', `a line is too long: ${firstWords(long) ?? ''}`)
  const starts = lines.flatMap((line, index) => (line.startsWith('pid ') ? [index] : []))
  const blocks = starts.map((start, index) => lines.slice(start, starts[index + 1] ?? -1))
  const answered = blocks.map(([first = '']) => Number(first.slice('pid '.length)))
  if (starts[0] !== (asked.length === 0 ? undefined : 0) || answered.join() !== asked.join())
    return unknown('unreadable', 'the host answered about other processes')
  const disorder = blocks.map((block) => strangeOrder(block, order)).find((one) => one !== undefined)
  return disorder ?? known(blocks.map(readProcess))
}

function readProcess(lines: readonly string[]): SurveyedProcess {
  const first = (tag: string) => lines.find((line) => line.startsWith(`${tag} `))?.slice(2)
  const [cgroup, mainPid, agent, daemon] = ['g', 'm', 'l', 'd'].map(first)
  const variables = lines.flatMap((line) => {
    if (line.startsWith('k ')) return [[line.slice(2), '***'] as const]
    const at = line.indexOf('=')
    return line.startsWith('e ') ? [[line.slice(2, at), line.slice(at + 1)] as const] : []
  })
  return {
    pid: Number(lines[0]?.slice('pid '.length)),
    ...(cgroup === undefined ? {} : { cgroup }),
    ...(mainPid === undefined ? {} : { mainPid: Number(mainPid) }),
    // Of a variable that is set twice, programs read the first.
    ...(lines.includes('v') ? { env: Object.fromEntries(variables.toReversed()) } : {}),
    ...(agent === undefined ? {} : { agent: readSurveyed(agent, jobAfter('l', lines)) }),
    ...(daemon === undefined ? {} : { daemon: readSurveyed(daemon, jobAfter('d', lines)) }),
  }
}

/** The lines after bars that follow a label. */
function jobAfter(tag: string, lines: readonly string[]): string {
  const rest = lines.slice(lines.findIndex((line) => line.startsWith(`${tag} `)) + 1)
  const end = rest.findIndex((line) => !line.startsWith('|'))
  return rest
    .slice(0, end < 0 ? rest.length : end)
    .map((line) => `${line.slice(1)}\n`)
    .join('')
}

function readSurveyed(label: string, text: string): SurveyedAgent {
  if (label === '?') return { label: null, job: unknown('not-gathered') }
  return { label, job: text === '' ? unknown('unreadable', `launchctl printed nothing about ${label}`) : readJob(label, text) }
}
