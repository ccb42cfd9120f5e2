import type { KnownKey } from './known-keys.ts'

/**
 * The part of a known-hosts file that needs no interpretation: lines with full names. Everything else (hashed names, wildcards, negations,
 * markers) is left to ssh-keygen, which is asked whenever this part is not conclusive.
 */
export interface PlainKnownHosts {
  /** Keys on plain lines with exactly this name; undefined: the file has markers, so only ssh-keygen can decide. */
  keysOf(name: string): readonly KnownKey[] | undefined
}

export function readPlainKnownHosts(text: string, file: string): PlainKnownHosts {
  const byName = new Map<string, KnownKey[]>()
  let hasMarker = false
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*@/.test(line)) hasMarker = true
    const entry = plainEntry(line)
    for (const name of entry?.names ?? []) {
      const keys = byName.get(name) ?? []
      keys.push({ type: entry?.type ?? '', blob: entry?.blob ?? '', file, line: index + 1 })
      byName.set(name, keys)
    }
  }
  return { keysOf: (name) => (hasMarker ? undefined : (byName.get(name) ?? [])) }
}

function plainEntry(line: string): { names: readonly string[]; type: string; blob: string } | undefined {
  const match = /^([a-z0-9.:,_[\]-]+) ([a-z0-9@.-]+) ([A-Za-z0-9+/]+=*)(?:\s|$)/.exec(line)
  if (match === null) return undefined
  const [, names = '', type = '', blob = ''] = match
  // `[host]:port` is a name; other brackets are unknown.
  const list = names.split(',')
  return list.every((name) => /^(\[[^[\]]+\]:\d+|[^[\]]+)$/.test(name)) ? { names: list, type, blob } : undefined
}
