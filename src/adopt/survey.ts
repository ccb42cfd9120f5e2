import { linesOf, strangeLine } from '../facts/fact.ts'
import { known, type Observed } from '../model/observed.ts'
import type { SurveyedProcess } from '../model/survey.ts'

/**
 * Prints a block for each pid: `pid N`, `g CGROUP`, `m MAINPID` of its unit, `v` if its environment is readable, then `e NAME=VALUE` and `k NAME` for keys, `l LABEL` of
 * an agent, `d LABEL` of a daemon. `end` confirms that it is complete. Arguments: `PID:PPID`.
 */
export const surveyScript = `
labels() {
  launchctl print "$1" 2>/dev/null | awk -v pids=" $2 $3 " -v tag="$4" \\
    'NF == 3 && $1 ~ /^[1-9][0-9]*$/ && index(pids, " " $1 " ") && $3 ~ /^[A-Za-z0-9_.-]+$/ { print tag, $3; exit }'
}
for one; do
  pid=\${one%%:*} parent=\${one#*:}
  printf 'pid %s\\n' "$pid"
  if [ -r "/proc/$pid/cgroup" ]; then
    group=$(sed -n -e 's/^0:://p' -e 's/^[0-9]*:name=systemd://p' "/proc/$pid/cgroup" | head -n 1)
    printf 'g %s\\n' "$group"
    unit=\${group##*/}
    case $unit in *.service) systemctl show -p MainPID -- "$unit" 2>/dev/null | sed -n 's/^MainPID=\\([1-9][0-9]*\\)$/m \\1/p' ;; esac
  fi
  if true 2>/dev/null <"/proc/$pid/environ"; then
    echo v
    tr '\\000\\012' '\\012\\001' <"/proc/$pid/environ" | awk -F= '
      $1 !~ /^(LLAMA_[A-Z0-9_]+|CTX|RAM_GB|[A-Z][A-Z0-9_]*_(MODEL|API_KEY|KV_SLOTS))$/ { next }
      $1 ~ /(KEY|TOKEN|SECRET|PASSWORD)$/ { print "k " $1; next }
      length($0) < 4096 { print "e " $0 }'
  fi
  if command -v launchctl >/dev/null 2>&1; then
    labels "gui/\${SUDO_UID:-$(id -u)}" "$pid" "$parent" l
    labels system "$pid" "$parent" d
  fi
done
echo end
`

/** Unknown: the answer is incomplete, or not one. */
export function readSurvey(text: string): Observed<readonly SurveyedProcess[]> {
  const lines = linesOf(text)
  if (lines.at(-1) !== 'end') return { known: false, because: 'unreadable', detail: 'the answer is incomplete' }
  const strange = strangeLine(
    lines,
    /^(pid [1-9]\d*|g \/.*|g |m [1-9]\d*|v|e [A-Z][A-Z0-9_]*=.*|k [A-Z][A-Z0-9_]*|[ld] [\w.-]+|end)$/,
  )
  if (strange !== undefined) return strange
  const starts = lines.flatMap((line, index) => (line.startsWith('pid ') ? [index] : []))
  return known(starts.map((start, index) => readProcess(lines.slice(start, starts[index + 1] ?? -1))))
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
    ...(lines.includes('v') ? { env: Object.fromEntries(variables) } : {}),
    ...(agent === undefined ? {} : { agent }),
    ...(daemon === undefined ? {} : { daemon }),
  }
}
