/** The hosts of one key under `hosts:`. */
export interface ExpandedHosts {
  readonly names: readonly string[]
  /** From `name:2222`. */
  readonly port?: number
}

/** More hosts than this from one range is a typing error. */
const mostHosts = 100_000

/**
 * Expands Ansible's host ranges: `mac-[01:50]`, `n[a:f]`, `n[0:10:2]`, several in one name. Both ends are included, a leading zero
 * keeps the width, an empty beginning is 0. A port may follow: `name:2222`, and after brackets around any name: `[2001:db8::1]:2222`,
 * `[name]:2222`, `[n[1:3]]:2222`.
 * @returns a sentence when the name cannot be expanded
 */
export function expandHostName(written: string): ExpandedHosts | string {
  const { pattern, port } = splitPort(written)
  if (port !== undefined && (port < 1 || port > 65_535)) return `\`${written}\` ends in an invalid port.`
  const names = expandRanges(pattern)
  if (typeof names === 'string') return names
  const bad = names.find((name) => !isHostName(name))
  if (bad !== undefined)
    return `\`${bad}\` is not a valid host name. Use letters, digits, \`.\`, \`_\` and \`-\`, or an IP address.`
  return port === undefined ? { names } : { names, port }
}

/** Ansible accepts brackets around an IPv6 address only before a port, but the meaning is clear. */
const bareAddress = /^\[(?<address>[^[\]]*:[^[\]]*:[^[\]]*)\]$/u

function splitPort(written: string): { pattern: string; port?: number } {
  const bracketed =
    /^\[(?<address>(?:[^[\]]|\[[^[\]]*\])+)\]:(?<port>\d+)$/u.exec(written)?.groups ?? bareAddress.exec(written)?.groups
  const plain = /^(?<address>(?:[^:[\]]|\[[^\]]*\])+):(?<port>\d+)$/u.exec(written)?.groups
  const found = bracketed ?? plain
  if (found?.['address'] === undefined) return { pattern: written }
  return found['port'] === undefined ? { pattern: found['address'] } : { pattern: found['address'], port: Number(found['port']) }
}

function expandRanges(pattern: string): readonly string[] | string {
  const open = pattern.indexOf('[')
  if (open < 0) return [pattern]
  const close = pattern.indexOf(']', open)
  if (close < 0) return `The range in \`${pattern}\` is not closed with \`]\`.`
  const here = expandRange(pattern.slice(open + 1, close))
  if (typeof here === 'string') return `The range in \`${pattern}\` cannot be expanded: ${here}`
  const rest = expandRanges(pattern.slice(close + 1))
  if (typeof rest === 'string') return rest
  if (here.length * rest.length > mostHosts) return `\`${pattern}\` stands for more than ${mostHosts} hosts.`
  const head = pattern.slice(0, open)
  return here.flatMap((middle) => rest.map((tail) => head + middle + tail))
}

/** The inside of one pair of brackets. */
function expandRange(range: string): readonly string[] | string {
  const [first = '', last = '', stepText = '1', ...more] = range.split(':')
  const step = Number(stepText)
  if (more.length > 0 || !range.includes(':')) return 'it takes `[first:last]` or `[first:last:step]`.'
  if (!/^\d+$/u.test(stepText) || step < 1) return 'the step must be a whole number above 0.'
  if (last === '') return 'it has no end.'
  const ends = `${first}:${last}`
  if (/^[A-Za-z]:[A-Za-z]$/u.test(ends)) return letters(first, last, step)
  if (!/^\d*:\d+$/u.test(ends)) return 'its ends must be whole numbers or single letters.'
  return numbers(first, last, step)
}

function numbers(first: string, last: string, step: number): readonly string[] | string {
  const isPadded = first.length > 1 && first.startsWith('0')
  if (isPadded && first.length !== last.length) return 'with leading zeros both ends must have the same number of digits.'
  const from = Number(first)
  const to = Number(last)
  if (from > to) return 'it ends before it begins.'
  if ((to - from) / step >= mostHosts) return `it stands for more than ${mostHosts} hosts.`
  const count = Math.floor((to - from) / step) + 1
  return Array.from({ length: count }, (_, index) => String(from + index * step).padStart(isPadded ? first.length : 0, '0'))
}

/** As Ansible orders them: small letters, then capitals. */
const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('')

function letters(first: string, last: string, step: number): readonly string[] | string {
  const from = alphabet.indexOf(first)
  const to = alphabet.indexOf(last)
  if (from > to) return 'it ends before it begins.'
  return alphabet.slice(from, to + 1).filter((_, index) => index % step === 0)
}

/** All other characters have a meaning in host patterns or paths. */
function isHostName(name: string): boolean {
  return /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u.test(name) || /^[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*(?:%[\w.-]+)?$/u.test(name)
}
