import type { Listener } from '../model/facts.ts'
import { known, type Unknown, unknown } from '../model/observed.ts'
import { linesOf, strangeLine } from './fact.ts'

/**
 * `ss -ltnp` of iproute2, with or without its header. The process column is empty for processes of other users, unless run as root, and
 * for sockets of the kernel.
 */
export function parseSs(text: string): readonly Listener[] {
  // Before iproute2 4.13 `*` stood for 0.0.0.0 and `::` had no brackets; since then `*` is an IPv6 socket that takes both.
  const modern = /\[|\s0\.0\.0\.0:/.test(text)
  return linesOf(text).flatMap((line) => {
    const [state, , , local = '', , ...rest] = line.trim().split(/\s+/)
    if (state !== 'LISTEN') return []
    const at = local.lastIndexOf(':')
    const port = Number(local.slice(at + 1))
    if (at < 0 || !Number.isInteger(port)) return []
    return [{ address: addressOf(local.slice(0, at), modern), port, ...holderOf(rest.join(' ')) }]
  })
}

/** Rejects lines that are neither a row nor the header. */
export function strangeToSs(text: string): Unknown | undefined {
  return strangeLine(linesOf(text), /^State\s|^LISTEN\s+\d+\s+\d+\s+\S+:\d+\s+\S+:[^\s:]+(\s+users:\(.*\))?\s*$|^$/)
}

function addressOf(text: string, modern: boolean): string {
  const address = text.replace(/^\[/, '').replace(/\]?(%[^\]]*)?\]?$/, '')
  if (address === '*') return modern ? '::' : '0.0.0.0'
  return address.replace(/^::ffff:(?=\d+\.)/, '')
}

/** `users:(("a",pid=1,fd=3),("b",pid=2,fd=3))`: of several processes that share a socket, the oldest. */
function holderOf(users: string): Pick<Listener, 'pid' | 'process'> {
  const holders = [...users.matchAll(/\("((?:[^"\\]|\\.)*)",(?:pid=)?(\d+)/g)].map(([, name = '', pid]) => ({
    name,
    pid: Number(pid),
  }))
  const first = holders.toSorted((a, b) => a.pid - b.pid)[0]
  if (first === undefined) return { pid: unknown('not-permitted', 'ss does not show the process') }
  return { pid: known(first.pid), process: first.name }
}
