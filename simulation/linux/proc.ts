import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SeenListener } from '../processes.ts'
import type { BoxProcess } from './box-processes.ts'
import type { Machine } from './machine.ts'

/** The content of /proc. */
export interface ProcView {
  readonly machine: Machine
  readonly processes: readonly BoxProcess[]
  readonly listeners: readonly SeenListener[]
}

/** Writes the box's /proc, a snapshot of the moment of writing; unchanged files are left alone. */
export class Proc {
  readonly #folder: string
  #written: ReadonlyMap<string, string> = new Map()

  constructor(folder: string) {
    this.#folder = folder
  }

  show(view: ProcView): void {
    const parts = [machineFiles(view), firstProcess, ...view.processes.map(processFiles)]
    const files = new Map(parts.flatMap((part) => Object.entries(part)))
    for (const [path, content] of files) if (this.#written.get(path) !== content) this.#write(path, content)
    const living = new Set([...files.keys()].map((path) => path.split('/', 1)[0]))
    for (const name of readdirSync(this.#folder)) {
      if (!living.has(name)) rmSync(join(this.#folder, name), { recursive: true, force: true })
    }
    this.#written = files
  }

  /** Atomic: readers never see half a file. */
  #write(path: string, content: string): void {
    const file = join(this.#folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(`${file}~`, content)
    renameSync(`${file}~`, file)
  }
}

function machineFiles({ machine, processes, listeners }: ProcView): Readonly<Record<string, string>> {
  const up = ((Date.now() - machine.bootedAt) / 1000).toFixed(2)
  return {
    meminfo: meminfo(machine, processes),
    uptime: `${up} ${up}\n`,
    'sys/kernel/random/boot_id': `${machine.bootId}\n`,
    'net/tcp': socketTable(listeners),
    'net/tcp6': socketHead,
  }
}

function meminfo({ memoryBytes, usedBytes }: Machine, processes: readonly BoxProcess[]): string {
  const servers = processes.reduce((sum, { ownBytes }) => sum + ownBytes, 0)
  const available = Math.max(0, memoryBytes - usedBytes - servers)
  const cached = Math.floor(Math.min(available, memoryBytes / 8))
  const rows: readonly (readonly [string, number])[] = [
    ['MemTotal', memoryBytes],
    ['MemFree', available - cached],
    ['MemAvailable', available],
    ['Buffers', 0],
    ['Cached', cached],
    ['SwapTotal', 0],
    ['SwapFree', 0],
    ['Shmem', 0],
    ['SReclaimable', 0],
  ]
  return rows.map(([name, bytes]) => `${`${name}:`.padEnd(16)}${String(Math.floor(bytes / 1024)).padStart(9)} kB\n`).join('')
}

const socketHead = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n'

function socketTable(listeners: readonly SeenListener[]): string {
  const rows = listeners.map(({ address, port }, index) => {
    const hex = address
      .split('.')
      .toReversed()
      .map((byte) => hexOf(Number(byte), 2))
      .join('')
    const inode = 20_000 + index
    return `${String(index).padStart(4)}: ${hex}:${hexOf(port, 4)} 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1 0000000000000000 100 0 0 10 0\n`
  })
  return `${socketHead}${rows.join('')}`
}

function hexOf(number: number, digits: number): string {
  return number.toString(16).toUpperCase().padStart(digits, '0')
}

const firstProcess = {
  '1/stat': statLine({ pid: 1, ppid: 0, name: 'systemd', startTicks: 1, rssBytes: 12 * 1024 ** 2 }),
  '1/comm': 'systemd\n',
  '1/cmdline': '/sbin/init\0',
  '1/status': status({ name: 'systemd', pid: 1, ppid: 0, uid: 0, rssBytes: 12 * 1024 ** 2, ownBytes: 4 * 1024 ** 2 }),
  '1/cgroup': '0::/init.scope\n',
} as const

function processFiles(one: BoxProcess): Readonly<Record<string, string>> {
  const environment = Object.entries(one.environment).map(([name, value]) => `${name}=${value}\0`)
  const files = {
    stat: statLine(one),
    comm: `${one.name}\n`,
    cmdline: one.words.map((word) => `${word}\0`).join(''),
    environ: environment.join(''),
    status: status(one),
    cgroup: `0::/system.slice/${one.unit}\n`,
  }
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [`${one.pid}/${name}`, content]))
}

type Stat = Pick<BoxProcess, 'pid' | 'ppid' | 'name' | 'startTicks' | 'rssBytes'>

/** 52 fields, of which these have values: 1 to 5, 20, 22 to 24. */
function statLine({ pid, ppid, name, startTicks, rssBytes }: Stat): string {
  const group = `${pid} ${pid} 0 -1 4194560`
  const pages = Math.floor(rssBytes / 4096)
  return `${pid} (${name}) S ${ppid} ${group} 0 0 0 0 0 0 0 0 20 0 1 0 ${startTicks} ${rssBytes * 4} ${pages}${' 0'.repeat(28)}\n`
}

type Status = Pick<BoxProcess, 'name' | 'pid' | 'ppid' | 'uid' | 'rssBytes' | 'ownBytes'>

function status({ name, pid, ppid, uid, rssBytes, ownBytes }: Status): string {
  const ids = `${uid}\t${uid}\t${uid}\t${uid}`
  const memory = `VmRSS:\t${Math.floor(rssBytes / 1024)} kB\nRssAnon:\t${Math.floor(ownBytes / 1024)} kB\n`
  return `Name:\t${name}\nState:\tS (sleeping)\nPid:\t${pid}\nPPid:\t${ppid}\nUid:\t${ids}\nGid:\t${ids}\n${memory}`
}
