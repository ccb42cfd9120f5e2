import { defined } from '../lib/defined.ts'
import type { MemoryFact } from '../model/memory-fact.ts'
import { known, type Observed, unknown } from '../model/observed.ts'
import { linesOf, strangeLine } from './fact.ts'

/** Pages by name as `vm_stat` prints them, and how large one is (4 KiB on Intel, 16 KiB on Apple Silicon). */
export interface VmStat {
  readonly pageSize: number
  readonly pages: ReadonlyMap<string, number>
}

/** Reads `vm_stat`; skips lines of other shapes (`Object cache: 12 hits …`). */
export function parseVmStat(text: string): VmStat | undefined {
  const size = /page size of (\d+) bytes/.exec(text)?.[1]
  if (size === undefined) return undefined
  const rows = text.matchAll(/^"?([A-Za-z][A-Za-z -]*?)"?:\s+(\d+)\.\s*$/gm)
  return { pageSize: Number(size), pages: new Map([...rows].map(([, name = '', value]) => [name, Number(value)])) }
}

/** `sysctl` lines `name: value` with a whole number as the value. */
export function parseSysctl(text: string): ReadonlyMap<string, number> {
  return new Map([...text.matchAll(/^([a-z][\w.]*): (\d+)$/gm)].map(([, name = '', value]) => [name, Number(value)]))
}

export function readMacosMemory(text: string): Observed<MemoryFact> {
  const at = Math.max(0, text.search(/^Mach Virtual Memory/m))
  const [settings, pages] = [text.slice(0, at), text.slice(at)]
  const strange =
    strangeLine(linesOf(settings), /^[a-z][\w.]*: \d+$|^$/) ?? strangeLine(linesOf(pages), /^Mach |^"?[A-Z][^:]*:\s+\d+|^$/)
  if (strange !== undefined) return strange
  const sysctl = parseSysctl(text)
  const total = sysctl.get('hw.memsize')
  const stat = parseVmStat(text)
  if (total === undefined || stat === undefined) return unknown('unreadable', 'sysctl or vm_stat did not report the memory')
  const available = availablePages(stat.pages, total / stat.pageSize)
  if (available === undefined) return unknown('unreadable', 'vm_stat did not report how the memory is used')
  const gpuMib = sysctl.get('iogpu.wired_limit_mb') ?? 0
  return known({
    totalBytes: total,
    availableBytes: Math.min(total, available * stat.pageSize),
    ...defined({ wiredBytes: wiredBytes(stat, total) }),
    // 0 means that the system chooses.
    ...(gpuMib > 0 ? { gpuLimitBytes: gpuMib * 1024 ** 2 } : {}),
  })
}

function wiredBytes({ pages, pageSize }: VmStat, total: number): number | undefined {
  const wired = pages.get('Pages wired down')
  return wired === undefined ? undefined : Math.min(total, wired * pageSize)
}

/**
 * Everything except what cannot be reclaimed: wired, compressed, and anonymous pages that are not purgeable; file pages can be dropped.
 * Undefined where the system does not distinguish them (before 10.9).
 */
function availablePages(pages: ReadonlyMap<string, number>, totalPages: number): number | undefined {
  const wired = pages.get('Pages wired down')
  const anonymous = pages.get('Anonymous pages')
  const compressor = pages.get('Pages occupied by compressor')
  const purgeable = pages.get('Pages purgeable')
  if (wired === undefined || anonymous === undefined || compressor === undefined || purgeable === undefined) return undefined
  return Math.max(0, totalPages - (wired + compressor + anonymous - purgeable))
}
