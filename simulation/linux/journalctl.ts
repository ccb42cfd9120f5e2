import type { Answer } from '../tool-socket.ts'
import type { Journal, JournalEntry } from './journal.ts'
import { NotSimulated } from './not-simulated.ts'

/** `journalctl [-u UNIT] [-n LINES|all] [--since @SECONDS] [-o cat|short|short-unix] [--no-hostname] [--follow] [-q] [--all] [--no-pager]`, or `journalctl --sync`. */
export function journalctl(journal: Journal, hostname: string, words: readonly string[]): Answer {
  if (words.join(' ') === '--sync') return { code: 0 }
  const { unit, lines, output, quiet, follow, since } = readWords(words)
  const name = unit === undefined || unit.includes('.') ? unit : `${unit}.service`
  const isAsked = (entry: JournalEntry) => name === undefined || entry.unit === name
  const all = journal.entries.filter((entry) => isAsked(entry) && entry.at >= since * 1000)
  const asked = lines === undefined ? all : all.slice(Math.max(0, all.length - lines))
  const line = (entry: JournalEntry): string => `${notations[output]?.(entry, hostname) ?? ''}\n`
  if (follow) {
    const goesOn = (print: (text: string) => void) => journal.follow((entry) => (isAsked(entry) ? print(line(entry)) : undefined))
    return { code: 0, out: asked.map(line).join(''), goesOn }
  }
  if (asked.length === 0) return { code: 0, out: quiet ? '' : '-- No entries --\n' }
  return { code: 0, out: asked.map(line).join('') }
}

interface Asked {
  unit?: string
  lines?: number
  since: number
  output: string
  quiet: boolean
  follow: boolean
}

const withoutEffect = new Set(['--no-pager', '--all', '--no-hostname'])

function readWords(words: readonly string[]): Asked {
  const asked: Asked = { output: 'short', quiet: false, follow: false, since: 0 }
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word === '-u') asked.unit = words[++at] ?? ''
    else if (word === '-n') asked.lines = words[++at] === 'all' ? Infinity : Number(words[at])
    else if (word === '-o') asked.output = words[++at] ?? ''
    else if (word === '--since') asked.since = Number((words[++at] ?? '').replace('@', ''))
    else if (word === '-q' || word === '--quiet') asked.quiet = true
    else if (word === '--follow') asked.follow = true
    else if (!withoutEffect.has(word)) throw new NotSimulated(`journalctl ${word}`)
  }
  if (!Object.hasOwn(notations, asked.output)) throw new NotSimulated(`journalctl -o ${asked.output}`)
  return asked
}

const notations: Readonly<Record<string, (entry: JournalEntry, hostname: string) => string>> = {
  cat: ({ text }) => text,
  short,
  // Without the host, as it is only asked for so.
  'short-unix': ({ at, program, pid, text }) => `${(at / 1000).toFixed(6)} ${program}[${pid}]: ${text}`,
}

function short({ at, program, pid, text }: JournalEntry, hostname: string): string {
  const [, month = '', day = '', , time = ''] = /^\w+ (\w+) (\d+) (\d+) ([\d:]+)/.exec(new Date(at).toString()) ?? []
  return `${month} ${day} ${time} ${hostname} ${program}[${pid}]: ${text}`
}
