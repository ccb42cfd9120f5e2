import type { MemoryFact } from '../model/memory-fact.ts'
import { known, type Observed, unknown } from '../model/observed.ts'
import { type Fact, linesOf, readSection, strangeLine } from './fact.ts'
import { readMacosMemory } from './memory-macos.ts'

const linux = `
while read -r key value _; do
  case $key in
  MemTotal: | MemFree: | MemAvailable: | Buffers: | Cached: | Shmem: | SReclaimable:) printf '%s %s\\n' "$key" "$value" ;;
  esac
done </proc/meminfo || return
group() {
  [ -r "$1/$2" ] || return
  read -r most <"$1/$2" && printf 'limit %s\\n' "$most"
  read -r used <"$1/$3" && printf 'used %s\\n' "$used"
  while read -r key value; do
    case $key in "$4active_file" | "$4inactive_file") printf 'file %s\\n' "$value" ;; esac
  done <"$1/memory.stat"
}
group /sys/fs/cgroup memory.max memory.current '' 2>/dev/null ||
  group /sys/fs/cgroup/memory memory.limit_in_bytes memory.usage_in_bytes total_ 2>/dev/null
:
`

const macos = `
sysctl hw.memsize iogpu.wired_limit_mb 2>/dev/null
vm_stat
`

/**
 * RAM: the total, and what a new process could get. Linux: `MemAvailable`, or an estimate on kernels before 3.14. A limit on the host
 * itself (a container) counts; the limit of the login session does not.
 */
export const memory: Fact<Observed<MemoryFact>> = {
  section: { name: 'memory', sh: { linux, macos } },
  parse: (section) => readSection(section, readMemory),
}

/** From the output of the section's script. */
export function readMemory(text: string): Observed<MemoryFact> {
  return text.includes('Mach Virtual Memory') ? readMacosMemory(text) : readLinuxMemory(text)
}

const linuxShape = /^((MemTotal|MemFree|MemAvailable|Buffers|Cached|Shmem|SReclaimable): \d+|limit (max|\d+)|(used|file) \d+)$|^$/

function readLinuxMemory(text: string): Observed<MemoryFact> {
  const strange = strangeLine(linesOf(text), linuxShape)
  if (strange !== undefined) return strange
  const kib = new Map<string, number>()
  for (const [, key = '', value] of text.matchAll(/^(\w+): (\d+)$/gm)) kib.set(key, Number(value))
  const total = kib.get('MemTotal')
  const available = kib.get('MemAvailable') ?? reclaimable(kib)
  if (total === undefined || available === undefined || available > total)
    return unknown('unreadable', '/proc/meminfo does not report the memory')
  return withinLimit({ totalBytes: total * 1024, availableBytes: available * 1024 }, groupOf(text))
}

/** Free memory and droppable page cache; the kernel counts shared memory as cache, but it cannot be dropped. */
function reclaimable(kib: ReadonlyMap<string, number>): number | undefined {
  const free = kib.get('MemFree')
  const cached = kib.get('Cached')
  if (free === undefined || cached === undefined) return undefined
  return free + (kib.get('Buffers') ?? 0) + Math.max(0, cached - (kib.get('Shmem') ?? 0))
}

interface Group {
  readonly limit: number
  /** Undefined: not reported. */
  readonly used: number | undefined
  readonly file: number
}

function groupOf(text: string): Group {
  const sums: { limit: number; used: number | undefined; file: number } = {
    limit: Number.POSITIVE_INFINITY,
    used: undefined,
    file: 0,
  }
  for (const line of linesOf(text)) {
    const [key, value] = line.split(' ')
    if (key === 'limit') sums.limit = value === 'max' ? Number.POSITIVE_INFINITY : Number(value)
    else if (key === 'used') sums.used = Number(value)
    else if (key === 'file') sums.file += Number(value)
  }
  return sums
}

function withinLimit(machine: MemoryFact, { limit, used, file }: Group): Observed<MemoryFact> {
  // "No limit" of cgroup v1 is a number near 2^63.
  if (!(limit < machine.totalBytes)) return known(machine)
  if (used === undefined) return unknown('unreadable', 'the host has a memory limit but does not report how much of it is used')
  const left = Math.max(0, limit - Math.max(0, used - file))
  return known({ ...machine, availableBytes: Math.min(machine.availableBytes, left), cgroupLimitBytes: limit })
}
