import { processesOf } from '../processes.ts'
import type { Answer } from '../tool-socket.ts'
import { NotSimulated } from './not-simulated.ts'
import type { View } from './system-tools.ts'

interface Row {
  readonly pid: number
  readonly ppid: number
  readonly user: string
  readonly rssBytes: number
  readonly started: string
  readonly words: readonly string[]
}

/** Processes of which no column is requested. */
const usual = ['pid', 'user', 'args'] as const
const columns: Readonly<Record<string, { readonly head: string; readonly of: (row: Row) => string }>> = {
  pid: { head: 'PID', of: ({ pid }) => String(pid).padStart(7) },
  ppid: { head: 'PPID', of: ({ ppid }) => String(ppid).padStart(7) },
  user: { head: 'USER', of: ({ user }) => user.padEnd(8) },
  rss: { head: 'RSS', of: ({ rssBytes }) => String(Math.floor(rssBytes / 1024)).padStart(8) },
  lstart: { head: 'STARTED', of: ({ started }) => started.padStart(24) },
  comm: { head: 'COMMAND', of: ({ words }) => (words[0] ?? '').replace(/^.*\//, '').slice(0, 15) },
  args: { head: 'COMMAND', of: ({ words }) => words.join(' ') },
}
const synonyms: Readonly<Record<string, string>> = { command: 'args', cmd: 'args' }

/** The first process and those of services, or the one that `-p` names: that may be one of a shell as well. */
export function ps(view: View, words: readonly string[]): Answer {
  const { pid, asked } = wordsOfPs(words)
  const listed: readonly Row[] = [
    { pid: 1, ppid: 0, user: 'root', rssBytes: 12 * 1024 ** 2, started: firstStart(view), words: ['/sbin/init'] },
    ...view.look().processes.map((one) => ({ ...one, user: userOf(view, one.uid), started: seenStart(one.pid) })),
  ]
  const rows = pid === undefined ? listed : [...listed.filter((one) => one.pid === pid), ...ofShell(view, listed, pid)]
  const shown = asked.map((name) => ({ name, ...columnOf(name.replace(/=$/, '')) }))
  const head = shown.some(({ name }) => !name.endsWith('=')) ? [shown.map((one) => one.head).join(' ')] : []
  const lines = [...head, ...rows.map((row) => shown.map(({ of }) => of(row)).join(' '))]
  return { code: rows.length === 0 ? 1 : 0, out: lines.map((line) => `${line}\n`).join('') }
}

function wordsOfPs(words: readonly string[]): { readonly pid: number | undefined; readonly asked: readonly string[] } {
  let pid: number | undefined
  const asked: string[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word === '-p') pid = Number(words[++at])
    else if (word === '-o') asked.push(...(words[++at] ?? '').split(','))
    else if (!/^-?[aAefuwx]+$/.test(word)) throw new NotSimulated(word)
  }
  return { pid, asked: asked.length > 0 ? asked : usual }
}

function columnOf(name: string): { readonly head: string; readonly of: (row: Row) => string } {
  const column = columns[synonyms[name] ?? name]
  if (column === undefined) throw new NotSimulated(`-o ${name}`)
  return column
}

function ofShell({ runsHere, caller }: View, listed: readonly Row[], pid: number): readonly Row[] {
  if (listed.some((one) => one.pid === pid) || !runsHere(pid)) return []
  return processesOf([pid])
    .filter((one) => one.pid === pid)
    .map((one) => ({ ...one, user: caller.name, rssBytes: one.rssKib * 1024 }))
}

function userOf({ accounts }: View, uid: number): string {
  return accounts.find((one) => one.uid === uid)?.name ?? String(uid)
}

function seenStart(pid: number): string {
  return processesOf([pid]).find((one) => one.pid === pid)?.started ?? ''
}

function firstStart({ machine }: View): string {
  return new Date(machine.bootedAt).toString().slice(0, 24)
}
