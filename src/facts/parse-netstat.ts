import type { Listener } from '../model/facts.ts'
import { known, type Observed, type Unknown, unknown } from '../model/observed.ts'
import { linesOf, strangeLine } from './fact.ts'

/**
 * TCP rows in state LISTEN of `netstat`: net-tools and BusyBox (`-ltnp`, a colon before the port) and macOS (`-anv -p tcp`, a dot before
 * the port; the pid is a column of its own or `process:pid`, and missing on old systems).
 */
export function parseNetstat(text: string): readonly Listener[] {
  const named = /\bprocess:pid\b/.test(text)
  return linesOf(text).flatMap((line) => {
    const row = /^(tcp\w*)\s+\d+\s+\d+\s+(\S+)\s+\S+\s+LISTEN\b(.*)$/.exec(line.trim())
    if (row === null) return []
    const [, family = '', local = '', rest = ''] = row
    const split = /^(.*)[.:](\d+)$/.exec(local)
    if (split === null) return []
    const holder = named || !/^\s*(\d+\/|-)/.test(rest) ? macosHolder(rest, named) : linuxHolder(rest)
    return [{ address: addressOf(split[1] ?? '', family), port: Number(split[2]), ...holder }]
  })
}

/** Rejects unreadable rows; text around the rows is for people. */
export function strangeToNetstat(text: string): Unknown | undefined {
  const rows = linesOf(text).filter((line) => /^\s*tcp|\bLISTEN\b|\d[.:]\d/.test(line))
  return strangeLine(rows, /^\s*tcp\w*\s+\d+\s+\d+\s+\S+[.:]\d+\s+\S+\s+LISTEN\b/)
}

function addressOf(text: string, family: string): string {
  if (text === '*') return family === 'tcp4' ? '0.0.0.0' : '::'
  return text.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/, '')
}

type Holder = Pick<Listener, 'pid' | 'process'>

/** `1469/master`, or `-` without permission. */
function linuxHolder(rest: string): Holder {
  const match = /^\s*(\d+)\/(.*?)\s*$/.exec(rest)
  return match === null ? { pid: hidden } : { pid: known(Number(match[1])), process: match[2] ?? '' }
}

/** After the state: `rxbytes txbytes rhiwat shiwat Name Of It:pid state options …`, or `rhiwat shiwat pid epid …`. */
function macosHolder(rest: string, named: boolean): Holder {
  const match = named
    ? /^(?:\s+\d+){2,4}\s+(\S.*?):(\d+)\s/.exec(`${rest} `)
    : /^(?:\s+\d+){2}()\s+(\d+)\s+\d+\s/.exec(`${rest} `)
  const pid = Number(match?.[2] ?? 0)
  if (match === null || pid === 0) return { pid: hidden }
  return { pid: known(pid), ...(match[1] === undefined || match[1] === '' ? {} : { process: match[1] }) }
}

const hidden: Observed<number> = unknown('not-permitted', 'netstat does not show the process')
