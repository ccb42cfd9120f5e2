import type { Answer } from '../tool-socket.ts'
import type { Journal, JournalEntry } from './journal.ts'
import { NotSimulated } from './not-simulated.ts'

/** `journalctl [-u UNIT] [-n LINES] [-o cat|short] [-q] [--no-pager]`. */
export function journalctl(journal: Journal, hostname: string, words: readonly string[]): Answer {
  const { unit, lines, output, quiet } = readWords(words)
  const name = unit === undefined || unit.includes('.') ? unit : `${unit}.service`
  const all = journal.entries.filter((entry) => name === undefined || entry.unit === name)
  const asked = lines === undefined ? all : all.slice(Math.max(0, all.length - lines))
  if (asked.length === 0) return { code: 0, out: quiet ? '' : '-- No entries --\n' }
  return { code: 0, out: asked.map((entry) => `${output === 'cat' ? entry.text : short(entry, hostname)}\n`).join('') }
}

interface Asked {
  unit?: string
  lines?: number
  output: string
  quiet: boolean
}

function readWords(words: readonly string[]): Asked {
  const asked: Asked = { output: 'short', quiet: false }
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word === '-u') asked.unit = words[++at] ?? ''
    else if (word === '-n') asked.lines = Number(words[++at])
    else if (word === '-o') asked.output = words[++at] ?? ''
    else if (word === '-q' || word === '--quiet') asked.quiet = true
    else if (word !== '--no-pager') throw new NotSimulated(`journalctl ${word}`)
  }
  if (!['cat', 'short'].includes(asked.output)) throw new NotSimulated(`journalctl -o ${asked.output}`)
  return asked
}

function short({ at, program, pid, text }: JournalEntry, hostname: string): string {
  const [, month = '', day = '', , time = ''] = /^\w+ (\w+) (\d+) (\d+) ([\d:]+)/.exec(new Date(at).toString()) ?? []
  return `${month} ${day} ${time} ${hostname} ${program}[${pid}]: ${text}`
}
