const firstMs = 2000
const longestMs = 60_000
/** Failed logins may lock an account or ban an address. */
const loginMs = 10 * 60_000

/** Causes that another try may not have, because they pass by themselves. */
const passing: ReadonlySet<string> = new Set([
  'CONNECT.DNS',
  'CONNECT.REFUSED',
  'CONNECT.UNREACHABLE',
  'CONNECT.TIMEOUT',
  'CONNECT.RESET',
  'CONNECT.HANDSHAKE',
  'CONNECT.LOST',
  'CONNECT.SLOW',
  'CONNECT.PROXY',
  'CONNECT.CHANNEL_REFUSED',
  'FACTS.GARBLED',
  'FACTS.SILENT',
])

/**
 * How long a watch waits before it tries a host again: longer after each failure, up to a minute; ten minutes for what a person has to mend.
 *
 * @param failures in a row, from 1
 */
export function untilNextTry(code: string, failures: number): number {
  return passing.has(code) ? Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 10)) : loginMs
}
