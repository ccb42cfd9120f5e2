import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

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

/** Every process that has not ended. Linux has them in `/proc`, also where nobody installed `ps`, and reading that costs a tenth of starting it. */
export function processTable(): readonly TableRow[] {
  return process.platform === 'linux' ? fromProc() : fromPs()
}

/** The words of one of them; none: it is gone. */
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
  const boot = Number(/^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1])
  return readdirSync('/proc').flatMap((name): TableRow[] => {
    const stat = /^\d+$/.test(name) ? textOf(`/proc/${name}/stat`) : ''
    // The name in parentheses may hold anything; what follows begins with the state.
    const [state = 'Z', ppid, group, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (stat === '' || state === 'Z') return []
    const started = boot + Math.floor(Number(fields[16]) / ticks)
    return [
      {
        pid: Number(name),
        ppid: Number(ppid),
        group: Number(group),
        rssKib: Number(fields[18]) * pageKib,
        started: longDate(new Date(started * 1000)),
        words: () => wordsOf(Number(name)),
      },
    ]
  })
}

/** Empty for what has ended meanwhile. */
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
