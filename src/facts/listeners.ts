import type { Listener } from '../model/facts.ts'
import { known, type Observed, type Unknown, unknown } from '../model/observed.ts'
import { type Fact, readSection } from './fact.ts'
import { parseLsof, strangeToLsof } from './parse-lsof.ts'
import { parseNetstat, strangeToNetstat } from './parse-netstat.ts'
import { parseProcNet, strangeToProcNet } from './parse-proc-net.ts'
import { parseSs, strangeToSs } from './parse-ss.ts'

/** /proc before netstat: BusyBox's netstat truncates long addresses together with their port. */
const linux = `
if has ss; then
  printf '@ss\\n'
  limit 10 ss -ltnp && return
fi
if [ -r /proc/net/tcp ] && has awk; then
  printf '@proc\\n'
  set -- /proc/net/tcp
  if [ -r /proc/net/tcp6 ]; then set -- "$@" /proc/net/tcp6; fi
  ls -l /proc/[0-9]*/fd 2>/dev/null | awk '
    $4 == "0A" && $2 ~ /:/ { print "t", $2, $10; wanted[$10] = 1 }
    /^\\/proc\\/[0-9]+\\/fd:$/ { split($0, part, "/"); pid = part[3] }
    match($0, /socket:\\[[0-9]+\\]$/) {
      inode = substr($0, RSTART + 8, RLENGTH - 9)
      if (!(inode in wanted) || ((inode, pid) in seen)) next
      seen[inode, pid] = 1
      print "f", inode, pid
      file = "/proc/" pid "/comm"
      if ((getline name < file) > 0) print "n", pid, name
      close(file)
    }
    END { if (NR > 0) print "end" }' "$@" -
  return
fi
if has netstat; then
  printf '@netstat\\n'
  limit 10 netstat -ltnp
  return
fi
echo 'neither ss nor /proc/net/tcp nor netstat' >&2
return 127
`

/** Without root, lsof shows only processes of the own account; netstat shows every port. */
const macos = `
has lsof || has netstat || return 127
if has lsof; then
  printf '@lsof\\n'
  lsof -nP -iTCP -sTCP:LISTEN +c 0 -FpcLtdn
fi
if has netstat; then
  printf '@netstat\\n'
  netstat -anv -p tcp | grep -e LISTEN -e Proto
fi
:
`

/** TCP ports in state LISTEN, with the process that holds each. */
export const listeners: Fact<Observed<readonly Listener[]>> = {
  section: { name: 'listeners', sh: { linux, macos }, apart: true },
  parse: (section) => readSection(section, readListeners),
}

interface Tool {
  readonly parse: (text: string) => readonly Listener[]
  /** Rejects unreadable lines: their ports would count as free. */
  readonly strange: (text: string) => Unknown | undefined
}

const tools: Readonly<Record<string, Tool>> = {
  ss: { parse: parseSs, strange: strangeToSs },
  proc: { parse: parseProcNet, strange: strangeToProcNet },
  netstat: { parse: parseNetstat, strange: strangeToNetstat },
  lsof: { parse: parseLsof, strange: strangeToLsof },
}

/** Output of several tools, each after `@NAME`; a port whose holder one tool knows is not repeated without it. */
function readListeners(text: string): Observed<readonly Listener[]> {
  const [before = '', ...parts] = text.split(/^@/m)
  const all: Listener[] = []
  for (const part of parts) {
    const end = part.indexOf('\n')
    const tool = Object.hasOwn(tools, part.slice(0, end)) ? tools[part.slice(0, end)] : undefined
    const words = part.slice(end + 1)
    const strange = tool === undefined ? unknown('unreadable', 'the output is of an unknown tool') : tool.strange(words)
    if (strange !== undefined && !isOvertaken(part, parts)) return strange
    all.push(...(tool?.parse(words) ?? []))
  }
  // Each tool prints a header or an end line, even with nothing to list.
  const isSilent = parts.every((part) => part.trim().split('\n').length < 2)
  if (before.trim() !== '' || isSilent) return unknown('unreadable', 'no tool listed the listening ports')
  return known(mergeListeners(all))
}

/** If `ss` failed, its output may be truncated; that of the tool after it is complete. */
function isOvertaken(part: string, parts: readonly string[]): boolean {
  return part.startsWith('ss\n') && parts.at(-1) !== part
}

/** One entry per address and port: the first with a known process, else the first. */
export function mergeListeners(all: readonly Listener[]): readonly Listener[] {
  const merged = new Map<string, Listener>()
  for (const listener of all) {
    const id = `${listener.address} ${listener.port}`
    const seen = merged.get(id)
    if (seen === undefined || (!seen.pid.known && listener.pid.known)) merged.set(id, listener)
  }
  return [...merged.values()]
}
