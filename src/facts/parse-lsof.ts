import type { Listener } from '../model/facts.ts'
import { known, type Unknown } from '../model/observed.ts'
import { linesOf, strangeLine } from './fact.ts'

/**
 * `lsof -nP -iTCP -sTCP:LISTEN -F…`: one field per line, its letter first. `p` and `c` open a process, `t` is the address family of the
 * socket, `n` its name. With `-sTCP:LISTEN` all rows are listeners; in other outputs a name with `->` is a connection.
 */
export function parseLsof(text: string): readonly Listener[] {
  const found: Listener[] = []
  let pid = 0
  let process = ''
  let family = ''
  let protocol = 'TCP'
  for (const line of linesOf(text)) {
    const value = line.slice(1)
    if (line.startsWith('p')) pid = Number(value)
    else if (line.startsWith('c')) process = unescapeName(value)
    else if (line.startsWith('t')) family = value
    else if (line.startsWith('P')) protocol = value
    else if (line.startsWith('n') && protocol === 'TCP' && !value.includes('->')) {
      const split = /^(.*):(\d+)$/.exec(value)
      if (split !== null)
        found.push({ address: addressOf(split[1] ?? '', family), port: Number(split[2]), pid: known(pid), process })
    }
  }
  return found
}

/** Rejects unknown and malformed fields. */
export function strangeToLsof(text: string): Unknown | undefined {
  return strangeLine(linesOf(text), /^(p\d+|[cL].+|f\S*|t(IPv4|IPv6|sock)|d\S*|P(TCP|UDP)|T.*|n.*(:\d+|->.*))$|^$/)
}

function addressOf(text: string, family: string): string {
  if (text === '*') return family === 'IPv4' ? '0.0.0.0' : '::'
  return text.replace(/^\[(.*)\]$/, '$1').replace(/%.*$/, '')
}

/** Blanks and unprintable characters come as `\x20`. */
function unescapeName(text: string): string {
  return text.replace(/\\x([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
