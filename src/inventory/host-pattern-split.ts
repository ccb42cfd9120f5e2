import { isHostAddress, isIpv6Address } from './host-address.ts'

/** One piece of a host pattern and where it starts; `stray`: an unmatched bracket. */
export interface Piece {
  readonly text: string
  /** Counts from 0, in the whole pattern. */
  readonly at: number
  readonly stray?: true
}

/**
 * Splits a host pattern into terms as Ansible does. If it has a comma, it splits at commas, and `:` is a plain character. A single address or range
 * is not split. Otherwise it splits at `:` and blanks outside brackets. Empty pieces are dropped.
 *
 * Two differences keep what was written: an unmatched bracket becomes a stray piece, where Ansible loses it (`web[0` would be all of `web`); and an
 * IPv6 address after `!` or `&` is not split.
 */
export function splitHostPattern(pattern: string): readonly Piece[] {
  if (pattern.includes(',')) return splitAtCommas(pattern)
  const at = pattern.length - pattern.trimStart().length
  const text = pattern.trim()
  if (isHostAddress(text) || isIpv6Address(text.replace(/^[!&]/, ''))) return [{ text, at }]
  return splitAtColons(pattern)
}

function splitAtCommas(pattern: string): readonly Piece[] {
  return [...pattern.matchAll(/[^,]+/g)].flatMap((match) => {
    const text = match[0].trim()
    return text === '' ? [] : [{ text, at: match.index + match[0].indexOf(text) }]
  })
}

function splitAtColons(pattern: string): readonly Piece[] {
  return [...pattern.matchAll(/(?:[^\s:[\]]|\[[^\]]*\])+|[[\]]/g)].map((match) => {
    const piece = { text: match[0], at: match.index }
    return /^[[\]]$/.test(match[0]) ? { ...piece, stray: true } : piece
  })
}
