import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs'
import { basename } from 'node:path'
import { processTable, processTree } from './process-table.ts'
import { toolInterpreter } from './tool-socket.ts'

export interface SeenProcess {
  readonly pid: number
  readonly ppid: number
  readonly rssKib: number
  /** `Thu Nov 12 10:11:12 2026` */
  readonly started: string
  /** The program and its arguments as the host shows them: without the interpreter that plays it here. */
  readonly words: readonly string[]
}

/** These processes and their descendants, as seen on this machine. */
export function processesOf(roots: readonly number[]): readonly SeenProcess[] {
  return processTree(roots).map(({ pid, ppid, rssKib, started, words }) => {
    return { pid, ppid, rssKib, started, words: withoutInterpreter(words()) }
  })
}

/** The double of a server is `node model-server.ts NAME …`, or the single binary in the place of Node, a tool that lasts is `perl -X PATH …`. */
function withoutInterpreter(words: readonly string[]): readonly string[] {
  const [program = '', file = ''] = words
  const isDouble = (program === process.execPath || /node[^/]*$/.test(program)) && /\/simulation\/.+\.[jt]s$/.test(file)
  if (isDouble) return words.slice(2)
  const call = toolCall(words)
  return call === undefined ? words : [basename(call[0] ?? ''), ...call.slice(1)]
}

/** Unfinished calls of a tool, by its path. */
export function callsOf(tool: string): readonly number[] {
  return processTable().flatMap(({ pid, words: wordsOf }) => {
    return toolCall(wordsOf())?.[0] === tool ? [pid] : []
  })
}

/** The path of a tool and the words that it was given; undefined: it is another program. */
function toolCall(words: readonly string[]): readonly string[] | undefined {
  return toolInterpreter.every((word, index) => words[index] === word) ? words.slice(toolInterpreter.length) : undefined
}

/** Whether any process of a group is alive. */
export function groupLives(group: number): boolean {
  return processTable().some((row) => row.group === group)
}

export interface SeenListener {
  readonly pid: number
  readonly address: string
  readonly port: number
}

/** The IPv4 TCP ports that these processes listen on. Linux lists them in `/proc`, a real Mac through its own lsof. */
export function listenersOf(pids: readonly number[]): readonly SeenListener[] {
  return process.platform === 'linux' ? linuxListeners(pids) : lsofListeners(pids)
}

function linuxListeners(pids: readonly number[]): readonly SeenListener[] {
  const listening = new Map<string, { readonly address: string; readonly port: number }>()
  for (const [local = '', inode = ''] of listeningSockets()) listening.set(inode, addressOf(local))
  return pids.flatMap((pid) =>
    socketsOf(pid).flatMap((inode) => {
      const at = listening.get(inode)
      return at === undefined ? [] : [{ pid, ...at }]
    }),
  )
}

/**
 * Local address and inode. The kernel lists what listens first; a busy machine has thousands of connections behind that, and looking for them
 * costs it milliseconds.
 */
function listeningSockets(): readonly (readonly string[])[] {
  const file = openSync('/proc/net/tcp', 'r')
  try {
    const chunk = Buffer.alloc(4096)
    let text = ''
    for (let size = 1; size > 0 && !/: \S+ \S+ (?!0A)\S/.test(text); ) {
      size = readSync(file, chunk)
      text += chunk.toString('latin1', 0, size)
    }
    return [...text.matchAll(/: (\S+) \S+ 0A (?:\S+ +){5}(\d+) /g)].map(([, local = '', inode = '']) => [local, inode])
  } finally {
    closeSync(file)
  }
}

/** `0100007F:2706`, the address in the byte order of the machine. */
function addressOf(local: string): { readonly address: string; readonly port: number } {
  const [address = '', port = ''] = local.split(':')
  const bytes =
    address
      .match(/../g)
      ?.toReversed()
      .map((byte) => Number.parseInt(byte, 16)) ?? []
  return { address: bytes.join('.'), port: Number.parseInt(port, 16) }
}

function socketsOf(pid: number): readonly string[] {
  try {
    const folder = `/proc/${pid}/fd`
    return readdirSync(folder).flatMap((name) => /^socket:\[(\d+)\]$/.exec(readlinkSync(`${folder}/${name}`))?.[1] ?? [])
  } catch {
    return []
  }
}

function lsofListeners(pids: readonly number[]): readonly SeenListener[] {
  try {
    const output = execFileSync('/usr/sbin/lsof', ['-nP', '-a', '-p', pids.join(','), '-iTCP', '-sTCP:LISTEN', '-Fpn'], {
      encoding: 'utf8',
    })
    let pid = 0
    return output.split('\n').flatMap((line) => {
      if (line.startsWith('p')) pid = Number(line.slice(1))
      const [, address = '', port] = /^n(.*):(\d+)$/.exec(line) ?? []
      return port === undefined ? [] : [{ pid, address: address === '*' ? '0.0.0.0' : address, port: Number(port) }]
    })
  } catch {
    // It ends with 1 when there is nothing.
    return []
  }
}
