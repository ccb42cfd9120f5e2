import { defined } from '../lib/defined.ts'
import type { Listener } from '../model/facts.ts'
import { known, type Unknown, unknown } from '../model/observed.ts'
import { linesOf, strangeLine } from './fact.ts'

/**
 * What the probe extracts from `/proc/net/tcp`, `tcp6` and the open files of processes: `t ADDRESS:PORT INODE` (hexadecimal),
 * `f INODE PID`, `n PID NAME`.
 */
export function parseProcNet(text: string): readonly Listener[] {
  const lines = linesOf(text)
  const names = new Map<number, string>()
  const holders = new Map<string, number>()
  for (const line of lines) {
    const [tag, first = '', ...rest] = line.split(' ')
    if (tag === 'n') names.set(Number(first), rest.join(' '))
    if (tag === 'f') holders.set(first, Math.min(holders.get(first) ?? Number.POSITIVE_INFINITY, Number(rest[0])))
  }
  return lines.flatMap((line) => {
    const [tag, local = '', inode = ''] = line.split(' ')
    const [hex = '', portHex = ''] = local.split(':')
    if (tag !== 't' || portHex === '') return []
    const pid = holders.get(inode)
    const name = pid === undefined ? undefined : names.get(pid)
    return [
      {
        address: decodeAddress(hex),
        port: Number.parseInt(portHex, 16),
        pid: pid === undefined ? unknown('not-permitted', 'no inspectable process holds it') : known(pid),
        ...defined({ process: name }),
      },
    ]
  })
}

/** Rejects unknown lines, a missing end, and holders of unlisted ports: a port was lost, and would count as free. */
export function strangeToProcNet(text: string): Unknown | undefined {
  const lines = linesOf(text).filter((line) => line !== '')
  if (lines.at(-1) !== 'end') return unknown('unreadable', 'the list of listening ports is incomplete')
  const rows = lines.slice(0, -1)
  return (
    strangeLine(rows, /^(t ([0-9A-F]{8}|[0-9A-F]{32}):[0-9A-F]{4} \d+|f \d+ \d+|n \d+ .*)$/) ??
    strangeHolder(rows.map((row) => row.split(' ')))
  )
}

/** The probe prints only holders of listed ports. */
function strangeHolder(rows: readonly (readonly string[])[]): Unknown | undefined {
  const listed = new Set(rows.flatMap(([tag, , inode]) => (tag === 't' ? [inode] : [])))
  const holders = new Set(rows.flatMap(([tag, , pid]) => (tag === 'f' ? [pid] : [])))
  const strange = rows.find(([tag, id]) => (tag === 'f' && !listed.has(id)) || (tag === 'n' && !holders.has(id)))
  return strange === undefined
    ? undefined
    : unknown('unreadable', `a port has a holder but is not listed: ${strange.slice(0, 2).join(' ')}`)
}

/** The kernel prints each 32-bit word in the machine's byte order: little endian wherever models run. */
export function decodeAddress(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? [])
    .flatMap((word) => (word.match(/../g) ?? []).toReversed())
    .map((byte) => Number.parseInt(byte, 16))
  if (bytes.length !== 16) return bytes.join('.')
  const mapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
  return mapped ? bytes.slice(12).join('.') : compressIpv6(bytes)
}

/** The short form, as in URLs. */
function compressIpv6(bytes: readonly number[]): string {
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0)).toString(16),
  )
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}
