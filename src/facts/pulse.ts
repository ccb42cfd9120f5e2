import type { MemoryFact } from '../model/memory-fact.ts'
import type { Platform } from '../model/names.ts'
import { known, mapObserved, type Observed, unknown } from '../model/observed.ts'
import { complaint, firstWords, linesOf } from './fact.ts'
import { memory, readMemory } from './memory.ts'

/** What changes on a host from second to second: its memory, and of some processes whether they live. */
export interface Pulse {
  readonly memory: Observed<MemoryFact>
  /** By pid; one that has ended is not in it. Unknown where the account does not see the processes of others. */
  readonly processes: Observed<ReadonlyMap<number, PulseOfProcess>>
}

export interface PulseOfProcess {
  /** As in `Resident`. */
  readonly start: string
  readonly rssBytes: number
}

/** Answers about the pids in its arguments. No engine, no supervisor and no root: it runs every few seconds. Starts no program on Linux. */
export function pulseScript(platform: Platform): string {
  return `memory() {\n${(memory.section.sh[platform] ?? '').trim()}\n}\n${processes[platform]}\nprintf 'memory\\n'\nmemory\nprintf 'end %s\\n' "$?"\n`
}

const processes: Readonly<Record<Platform, string>> = {
  linux: `
true 2>/dev/null </proc/1/stat || echo hidden
for pid in "$@"; do
  stat='' rss=0
    # A name may contain a line break.
  while part=''; IFS= read -r part || [ -n "$part" ]; do stat="$stat $part"; done 2>/dev/null <"/proc/$pid/stat"
  [ -n "$stat" ] || continue
  while read -r key value _; do
    if [ "$key" = VmRSS: ]; then rss=$value; fi
  done 2>/dev/null <"/proc/$pid/status"
  printf 'process %s %s %s\\n' "$pid" "$rss" "\${stat##*) }"
done
`,
  macos: `
ps -axww -o pid=,rss=,lstart= | while read -r pid rss start; do
  case " $* " in *" $pid "*) printf 'process %s %s %s\\n' "$pid" "$rss" "$start" ;; esac
done
`,
}

const hidden = 'hidden\n'
const line = /^process (\d{1,10}) (\d{1,15}) (.{1,1000})$/

/** Unknown if any of it is not as the script writes it. */
export function readPulse(text: string, platform: Platform): Observed<Pulse> {
  const [before = '', after] = text.split(/^memory\n/m)
  const end = /^end (\d+)\n$/m.exec(after ?? '')
  if (after === undefined || end === null) return unknown('unreadable', 'the answer is not complete')
  const isHidden = before.startsWith(hidden)
  const seen = processesIn(linesOf(isHidden ? before.slice(hidden.length) : before), platform)
  const status = Number(end[1])
  const read = status === 0 ? readMemory(after.slice(0, end.index)) : complaint({ status, stderr: '' })
  return mapObserved(seen, (found) => ({ memory: read, processes: isHidden ? unknown('not-permitted') : known(found) }))
}

function processesIn(lines: readonly string[], platform: Platform): Observed<ReadonlyMap<number, PulseOfProcess>> {
  const seen = new Map<number, PulseOfProcess>()
  for (const one of lines) {
    const [, pid, kib, rest = ''] = line.exec(one) ?? []
    if (pid === undefined) return unknown('unreadable', `unexpected line: ${firstWords(one) ?? ''}`)
    const start = startIn[platform](rest)
    if (start !== undefined) seen.set(Number(pid), { start, rssBytes: Number(kib) * 1024 })
  }
  return known(seen)
}

/** Undefined: it has ended, and its parent has not asked how yet. */
const startIn: Readonly<Record<Platform, (rest: string) => string | undefined>> = {
  linux: (rest) => {
    const words = rest.split(' ')
    return /^[ZX]/.test(words[0] ?? '') ? undefined : words[19]
  },
  macos: (rest) => rest.trim().replace(/\s+/g, ' '),
}
