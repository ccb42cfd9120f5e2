import type { Listener } from '../model/facts.ts'
import { known, type Observed, type Unknown, unknown } from '../model/observed.ts'
import { type Fact, readSection } from './fact.ts'
import { parseLsof, strangeToLsof } from './parse-lsof.ts'
import { parseNetstat, strangeToNetstat } from './parse-netstat.ts'
import { parseProcNet, strangeToProcNet } from './parse-proc-net.ts'
import { parseSs, strangeToSs } from './parse-ss.ts'

/** /proc before netstat: BusyBox's netstat cuts long addresses together with their port. */
const linux = `
if has ss; then
  printf '@ss\\n'
  limit 10 ss -ltnp && return
fi
if [ -r /proc/net/tcp ] && has awk; then
  printf '@proc\\n'
  {
    cat /proc/net/tcp /proc/net/tcp6
    ls -l /proc/[0-9]*/fd
  } 2>/dev/null | awk '
    $4 == "0A" && $2 ~ /:/ { print "t", $2, $10; wanted[$10] = 1 }
    /^\\/proc\\/[0-9]+\\/fd:$/ { split($0, part, "/"); pid = part[3] }
    match($0, /socket:\\[[0-9]+\\]$/) {
      inode = substr($0, RSTART + 8, RLENGTH - 9)
      if (!(inode in wanted) || ((inode, pid) in told)) next
      told[inode, pid] = 1
      print "f", inode, pid
      file = "/proc/" pid "/comm"
      if ((getline name < file) > 0) print "n", pid, name
      close(file)
    }
    END { if (NR > 0) print "end" }'
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

/** Without root lsof tells only our own processes; netstat tells every port. */
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

/** TCP ports in LISTEN state with who holds them. */
export const listeners: Fact<Observed<readonly Listener[]>> = {
  section: { name: 'listeners', sh: { linux, macos }, apart: true },
  parse: (section) => readSection(section, readListeners),
}

interface Tool {
  readonly parse: (text: string) => readonly Listener[]
  /** A port in a line that cannot be read would count as free. */
  readonly strange: (text: string) => Unknown | undefined
}

const tools: Readonly<Record<string, Tool>> = {
  ss: { parse: parseSs, strange: strangeToSs },
  proc: { parse: parseProcNet, strange: strangeToProcNet },
  netstat: { parse: parseNetstat, strange: strangeToNetstat },
  lsof: { parse: parseLsof, strange: strangeToLsof },
}

/** Several tools may have spoken, each after `@its-name`; a port that one knows the holder of is not repeated without. */
function readListeners(text: string): Observed<readonly Listener[]> {
  const [before = '', ...parts] = text.split(/^@/m)
  const all: Listener[] = []
  for (const part of parts) {
    const end = part.indexOf('\n')
    const tool = Object.hasOwn(tools, part.slice(0, end)) ? tools[part.slice(0, end)] : undefined
    const words = part.slice(end + 1)
    const strange = tool === undefined ? unknown('unreadable', 'no tool is known that answers so') : tool.strange(words)
    if (strange !== undefined && !isOvertaken(part, parts)) return strange
    all.push(...(tool?.parse(words) ?? []))
  }
  // Each tool has a header, or says that this was all; one that found nothing still says so.
  const isSilent = parts.every((part) => part.trim().split('\n').length < 2)
  if (before.trim() !== '' || isSilent) return unknown('unreadable', 'no tool told the listening ports')
  return known(mergeListeners(all))
}

/** Where `ss` failed, its answer may stop anywhere; the one after it is whole. */
function isOvertaken(part: string, parts: readonly string[]): boolean {
  return part.startsWith('ss\n') && parts.at(-1) !== part
}

/** One entry for an address and port: the first that knows its process, else the first. */
export function mergeListeners(all: readonly Listener[]): readonly Listener[] {
  const merged = new Map<string, Listener>()
  for (const listener of all) {
    const id = `${listener.address} ${listener.port}`
    const seen = merged.get(id)
    if (seen === undefined || (!seen.pid.known && listener.pid.known)) merged.set(id, listener)
  }
  return [...merged.values()]
}
