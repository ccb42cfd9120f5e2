import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** One process of this machine. */
export interface TableRow {
  readonly pid: number
  readonly ppid: number
  /** Its process group. */
  readonly group: number
  readonly rssKib: number
  /** `Thu Nov 12 10:11:12 2026` */
  readonly started: string
  /** Asked for one at a time: few of a machine's processes are of interest. Without /proc, those with blanks in them fall apart. */
  readonly words: () => readonly string[]
}

/** All running processes. Linux has them in `/proc`, also without `ps` installed, and reading that takes a tenth of the time of `ps`. */
export function processTable(): readonly TableRow[] {
  return process.platform === 'linux' ? fromProc() : fromPs()
}

/**
 * These processes and their running descendants. Linux lists the children of a process, if it was built to: on a machine with
 * thousands of other processes, not all of them need to be read then.
 */
export function processTree(roots: readonly number[]): readonly TableRow[] {
  if (process.platform === 'linux' && existsSync(childrenFile(process.pid, process.pid))) return treeFromProc(roots)
  const all = processTable()
  const mine = new Set(roots)
  for (let size = -1; size !== mine.size; ) {
    size = mine.size
    for (const { pid, ppid } of all) if (mine.has(ppid)) mine.add(pid)
  }
  return all.filter(({ pid }) => mine.has(pid))
}

function treeFromProc(roots: readonly number[]): readonly TableRow[] {
  const mine = new Set(roots)
  // The loop also visits what it adds.
  for (const pid of mine) for (const child of childrenOf(pid)) mine.add(child)
  const boot = bootTime()
  return [...mine].toSorted((a, b) => a - b).flatMap((pid) => rowFromProc(pid, boot))
}

/** Whichever of its threads started them. */
function childrenOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      textOf(childrenFile(pid, Number(thread)))
        .split(' ')
        .filter((word) => word !== '')
        .map(Number),
    )
  } catch {
    return []
  }
}

function childrenFile(pid: number, thread: number): string {
  return `/proc/${pid}/task/${thread}/children`
}

/** The arguments of one of them; empty: it has exited. */
export function wordsOf(pid: number): readonly string[] {
  if (process.platform === 'linux') return textOf(`/proc/${pid}/cmdline`).split('\0').slice(0, -1)
  return (
    processTable()
      .find((row) => row.pid === pid)
      ?.words() ?? []
  )
}

/** Clock ticks per second and KiB of a page in `/proc/PID/stat`, as nearly every Linux has them. */
const ticks = 100
const pageKib = 4

function fromProc(): readonly TableRow[] {
  const boot = bootTime()
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? rowFromProc(Number(name), boot) : []))
}

let knownBootTime: number | undefined

/** Seconds since 1970. */
function bootTime(): number {
  knownBootTime ??= Number(/^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1])
  return knownBootTime
}

/** Undefined: it has exited. */
function rowFromProc(pid: number, boot: number): readonly TableRow[] {
  const stat = textOf(`/proc/${pid}/stat`)
  // The name in parentheses may hold anything; what follows begins with the state.
  const [state = 'Z', ppid, group, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (stat === '' || state === 'Z') return []
  const started = boot + Math.floor(Number(fields[16]) / ticks)
  return [
    {
      pid,
      ppid: Number(ppid),
      group: Number(group),
      rssKib: Number(fields[18]) * pageKib,
      started: longDate(new Date(started * 1000)),
      words: () => wordsOf(pid),
    },
  ]
}

/** Empty for processes that have exited meanwhile. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** As `ps -o lstart` writes it: `Thu Nov  5 10:11:12 2026`. */
function longDate(date: Date): string {
  const [day, month, number = '', year, time] = date.toString().split(' ')
  return `${day} ${month} ${String(Number(number)).padStart(2)} ${time} ${year}`
}

function fromPs(): readonly TableRow[] {
  return execFileSync('ps', ['-axww', '-o', 'pid=,ppid=,pgid=,stat=,rss=,lstart=,args='], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line): TableRow[] => {
      const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+([^\sZ]\S*)\s+(\d+)\s+(\w{3}\s+\w+\s+\w+\s+[\d:]{8}\s+\d{4})\s+(.*)$/.exec(line)
      if (match === null) return []
      const [, pid, ppid, group, , rss, started = '', args = ''] = match
      return [
        {
          pid: Number(pid),
          ppid: Number(ppid),
          group: Number(group),
          rssKib: Number(rss),
          started,
          words: () => args.trimEnd().split(' '),
        },
      ]
    })
}
