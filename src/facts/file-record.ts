import { known, type Observed, type Unknown, unknown } from '../model/observed.ts'
import { saysOnly } from './fact.ts'

/** `tag value` lines about one path; the first of a tag counts. */
export type FileRecord = ReadonlyMap<string, string>

export interface FileStat {
  readonly size: number
  /** Seconds since the epoch. */
  readonly modifiedAt: number
  readonly mode: number
  readonly owner: string
}

export function fileRecord(lines: readonly string[]): FileRecord {
  const record = new Map<string, string>()
  for (const line of lines) {
    const at = line.indexOf(' ')
    if (at > 0 && !/^[|+]/.test(line) && !record.has(line.slice(0, at))) record.set(line.slice(0, at), line.slice(at + 1))
  }
  return record
}

/** An absent or unreadable file has no content. */
export function strangeState(lines: readonly string[]): Unknown | undefined {
  const record = fileRecord(lines)
  const path = record.get('path') ?? 'the path'
  const state = record.get('state') ?? ''
  if (!lines[1]?.startsWith('state ') || lines.slice(2).some((line) => line.startsWith('state ')))
    return unknown('unreadable', `the answer about ${path} is mixed with another one`)
  return state === 'there' || saysOnly(lines.slice(1), `state ${state}`)
    ? undefined
    : unknown('unreadable', `the host reports ${path} as ${state === 'absent' ? 'absent' : 'unreadable'}, yet sends its content`)
}

/** Why there is nothing to read; undefined: there is. A file that does not exist is a known null. */
export function absence(record: FileRecord): Observed<null> | undefined {
  const path = record.get('path') ?? 'the path'
  const state = record.get('state')
  if (state === 'there') return undefined
  if (state === 'absent') return known(null)
  if (state === 'hidden') return unknown('not-permitted', `a folder above ${path} cannot be entered`)
  if (state !== 'unreadable') return unknown('unreadable', `it is unclear whether ${path} exists`)
  return unknown('not-permitted', `${path} is not a readable file`)
}

/** `SIZE MTIME MODE OWNER` as the probe's `describe` prints it, with an octal mode. */
export function statOf(record: FileRecord): FileStat | undefined {
  const match = /^(\d+) (\d+) ([0-7]+) (.+)$/.exec(record.get('stat') ?? '')
  if (match === null) return undefined
  const [, size, modifiedAt, mode = '', owner = ''] = match
  return { size: Number(size), modifiedAt: Number(modifiedAt), mode: Number.parseInt(mode, 8), owner }
}

/** The digest in the output of sha256sum, shasum or openssl. */
export function digestIn(words: string | undefined): string | undefined {
  return /\b[0-9a-f]{64}\b/.exec(words ?? '')?.[0]
}
