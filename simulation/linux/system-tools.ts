import { lstatSync, statSync } from 'node:fs'
import type { SeenListener } from '../processes.ts'
import type { Answer } from '../tool-socket.ts'
import type { Account } from './accounts.ts'
import type { BoxProcess } from './box-processes.ts'
import type { Machine } from './machine.ts'
import { NotSimulated } from './not-simulated.ts'
import { ps } from './ps.ts'

/** What the tools need to know at the moment they are called. */
export interface View {
  readonly machine: Machine
  readonly accounts: readonly Account[]
  readonly caller: Account
  readonly look: () => { readonly processes: readonly BoxProcess[]; readonly listeners: readonly SeenListener[] }
  /** Owners of files, and changes of them: this machine's files all belong to one account. */
  readonly owners: Owners
  /** Whether a process of this machine that no service started is one of the box. */
  readonly runsHere: (pid: number) => boolean
}

export interface Owners {
  of(path: string, inode: number): string
  give(inode: number, name: string): void
}

/** Tools with the output of Debian's, as far as converge calls them. */
export const tools: Readonly<Record<string, (view: View, words: readonly string[]) => Answer>> = {
  uname,
  id,
  df,
  stat,
  chown,
  ss,
  ps,
}

export function uname({ machine }: Pick<View, 'machine'>, words: readonly string[]): Answer {
  const fields: Readonly<Record<string, string>> = { s: 'Linux', n: machine.hostname, r: machine.kernel, m: machine.arch }
  const asked = words.length === 0 ? ['s'] : words.join('').replaceAll('-', '').replace('a', 'snrm').split('')
  const unknown = asked.find((letter) => fields[letter] === undefined)
  if (unknown !== undefined) throw new NotSimulated(`-${unknown}`)
  // In its own order, whatever the order of the options.
  const shown = Object.keys(fields).filter((letter) => asked.includes(letter))
  return { code: 0, out: `${shown.map((letter) => fields[letter]).join(' ')}\n` }
}

function id({ accounts, caller }: View, words: readonly string[]): Answer {
  const [flag, ...rest] = words
  const name = rest.find((word) => word !== '--')
  const account = name === undefined ? caller : accounts.find((one) => one.name === name)
  if (account === undefined) return { code: 1, err: `id: ‘${name}’: no such user\n` }
  if (flag !== '-u' && flag !== '-un') throw new NotSimulated(words.join(' '))
  return { code: 0, out: `${flag === '-u' ? account.uid : account.name}\n` }
}

/** One disk, on which everything is. */
export function df({ machine }: Pick<View, 'machine'>, words: readonly string[]): Answer {
  if (!/^(?:-P|-k|-Pk)?$/.test(words[0] ?? '')) throw new NotSimulated(words.join(' '))
  const [total, used] = [machine.diskBytes, machine.diskUsedBytes].map((bytes) => Math.floor(bytes / 1024))
  const percent = Math.ceil((machine.diskUsedBytes / machine.diskBytes) * 100)
  const row = `/dev/nvme0n1p2 ${total} ${used} ${(total ?? 0) - (used ?? 0)} ${percent}% /\n`
  return { code: 0, out: `Filesystem 1024-blocks Used Available Capacity Mounted on\n${row}` }
}

/** `stat [-L] -c FORMAT FILE…` */
function stat({ owners }: View, words: readonly string[]): Answer {
  const follows = words[0] === '-L'
  const [flag, format = '', ...files] = follows ? words.slice(1) : words
  if (flag !== '-c') throw new NotSimulated(words.join(' '))
  const answers = files.map((file) => {
    const found = (follows ? statSync : lstatSync)(file, { throwIfNoEntry: false })
    if (found === undefined) return { err: `stat: cannot statx '${file}': No such file or directory\n` }
    const letters: Readonly<Record<string, string>> = {
      s: String(found.size),
      d: String(found.dev),
      i: String(found.ino),
      Y: String(Math.floor(found.mtimeMs / 1000)),
      Z: String(Math.floor(found.ctimeMs / 1000)),
      W: String(Math.floor(found.birthtimeMs / 1000)),
      a: (found.mode & 0o7777).toString(8),
      U: owners.of(file, found.ino),
      n: file,
    }
    const out = format.replaceAll(/%(.)/g, (_, letter: string) => {
      const value = letters[letter]
      if (value === undefined) throw new NotSimulated(`%${letter}`)
      return value
    })
    return { out: `${out}\n` }
  })
  const err = answers.map((answer) => answer.err ?? '').join('')
  return { code: err === '' ? 0 : 1, out: answers.map((answer) => answer.out ?? '').join(''), err }
}

function chown({ accounts, caller, owners }: View, [name = '', ...files]: readonly string[]): Answer {
  if (!accounts.some((one) => one.name === name)) return { code: 1, err: `chown: invalid user: ‘${name}’\n` }
  if (caller.uid !== 0) return { code: 1, err: `chown: changing ownership of '${files[0]}': Operation not permitted\n` }
  for (const file of files) owners.give(statSync(file).ino, name)
  return { code: 0 }
}

/** `ss -ltnp`. It shows the processes of all sockets to root, and to others those of their own. */
function ss({ caller, look }: View, words: readonly string[]): Answer {
  if (words.join(' ') !== '-ltnp') throw new NotSimulated(words.join(' '))
  const { processes, listeners } = look()
  const rows = listeners.map(({ pid, address, port }) => {
    const holder = processes.find((one) => one.pid === pid)
    const isVisible = holder !== undefined && (caller.uid === 0 || holder.uid === caller.uid)
    const users = isVisible ? `users:(("${holder.name}",pid=${pid},fd=3))` : ''
    return `LISTEN 0      5      ${`${address}:${port}`.padStart(22)} ${'0.0.0.0:*'.padStart(18)} ${users}\n`
  })
  return { code: 0, out: `State  Recv-Q Send-Q     Local Address:Port  Peer Address:Port Process\n${rows.join('')}` }
}
