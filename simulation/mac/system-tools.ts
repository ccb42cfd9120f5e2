import { lstatSync, readFileSync, statSync } from 'node:fs'
import { listenersOf, processesOf, type SeenProcess } from '../processes.ts'
import type { Answer } from '../tool-socket.ts'
import { fdesetup, id } from './account-tools.ts'
import { plutil } from './plutil.ts'
import { pmset } from './power-tools.ts'

/** The machine around launchd. */
export interface Machine {
  readonly hostname: string
  /** Of macOS: `26.3`. */
  readonly version: string
  readonly arch: 'arm64' | 'x86_64'
  readonly memoryBytes: number
  /** What programs outside the simulation hold: wired and anonymous pages. */
  readonly usedBytes: number
  /** What the process of each job wires for the GPU. */
  readonly wiredPerServer: number
  /** Wired memory of processes that were killed, which only a reboot gives back. */
  lostBytes: number
  readonly diskBytes: number
  readonly diskUsedBytes: number
  readonly uid: number
  readonly user: string
  readonly home: string
  /** Of the current boot. */
  bootId: string
  /** Whether FileVault is on. */
  readonly fileVault: boolean
  /** Accounts beside that of the login. */
  readonly accounts: readonly { readonly name: string; readonly uid: number; readonly home: string }[]
  /** Of the only source of power that a desktop has. */
  readonly sleep: Map<string, number>
}

/** What the tools need to know at the moment they are called. */
export interface View {
  readonly machine: Machine
  readonly consoleUser: string | null
  /** Processes that belong to this Mac; what they started is found from them. */
  readonly roots: readonly number[]
  /** Who asks is root. */
  readonly asRoot: boolean
  readonly ownerOf: (path: string) => string
  /** Of a process that is a job. */
  readonly accountOf: (pid: number) => string | undefined
  /** Whether a process of this machine that is none of these is one of the Mac. */
  readonly runsHere: (pid: number) => boolean
}

export type Tool = (view: View, words: readonly string[]) => Answer

const pageBytes = { arm64: 16_384, x86_64: 4096 } as const

/** Tools with the output of a Mac's, as far as converge calls them; any other call exits with 64 and says so. */
export const tools: Readonly<Record<string, Tool>> = {
  uname,
  id,
  fdesetup,
  sw_vers: ({ machine }) => ({
    code: 0,
    out: `ProductName:\t\tmacOS\nProductVersion:\t\t${machine.version}\nBuildVersion:\t\t25D999\n`,
  }),
  sysctl,
  ioreg,
  vm_stat: vmStat,
  lsof,
  netstat,
  df,
  ps,
  stat,
  newsyslog,
  plutil,
  pmset,
}

function uname({ machine }: View, words: readonly string[]): Answer {
  const darwin = `${Number(machine.version.split('.')[0]) - 1}.3.0`
  const fields: Readonly<Record<string, string>> = { s: 'Darwin', n: machine.hostname, r: darwin, m: machine.arch }
  const asked = words.length === 0 ? '-s' : words.join('')
  const all = ['s', 'n', 'r', 'm'].filter((letter) => asked.includes(letter))
  return { code: 0, out: `${all.map((letter) => fields[letter]).join(' ')}\n` }
}

/** Prints unknown names on stderr and exits with 1; prints the values of the others. */
function sysctl({ machine }: View, words: readonly string[]): Answer {
  const values: Readonly<Record<string, string | number>> = {
    'hw.memsize': machine.memoryBytes,
    'hw.pagesize': pageBytes[machine.arch],
    'kern.bootsessionuuid': machine.bootId,
    'iogpu.wired_limit_mb': 0,
    'kern.memorystatus_vm_pressure_level': 1,
  }
  const names = words.filter((word) => !word.startsWith('-'))
  const bare = words.includes('-n')
  const known = names.filter((name) => values[name] !== undefined)
  const unknown = names.filter((name) => values[name] === undefined)
  return {
    code: unknown.length > 0 ? 1 : 0,
    out: known.map((name) => `${bare ? '' : `${name}: `}${values[name]}\n`).join(''),
    err: unknown.map((name) => `sysctl: unknown oid '${name}'\n`).join(''),
  }
}

/** The platform's own entry, with what converge reads of it. */
function ioreg({ machine }: View, words: readonly string[]): Answer {
  if (words.join(' ') !== '-rd1 -c IOPlatformExpertDevice') return { code: 64, err: 'ioreg: not simulated\n' }
  const entry = `+-o ${machine.hostname}  <class IOPlatformExpertDevice, id 0x100000227, registered, matched, active, busy 0, retain 40>`
  return { code: 0, out: `${entry}\n    {\n      "IOPlatformUUID" = "8A1D3F52-6C4B-5E9A-9D27-0B3C5E7F9A11"\n    }\n` }
}

function vmStat({ machine, roots }: View): Answer {
  const page = pageBytes[machine.arch]
  const total = Math.floor(machine.memoryBytes / page)
  const servers = processesOf(roots).reduce((sum, one) => sum + one.rssKib * 1024, 0)
  const own = machine.usedBytes / 3
  const wired = Math.floor((own + machine.lostBytes + machine.wiredPerServer * roots.length) / page)
  const anonymous = Math.floor((machine.usedBytes - own + servers) / page)
  const file = Math.floor(total / 8)
  const free = Math.max(0, total - wired - anonymous - file)
  const rows: readonly (readonly [string, number])[] = [
    ['Pages free', free],
    ['Pages active', anonymous],
    ['Pages inactive', file],
    ['Pages speculative', 0],
    ['Pages throttled', 0],
    ['Pages wired down', wired],
    ['Pages purgeable', 0],
    ['"Translation faults"', 812_345_678],
    ['File-backed pages', file],
    ['Anonymous pages', anonymous],
    ['Pages stored in compressor', 0],
    ['Pages occupied by compressor', 0],
  ]
  const text = rows.map(([name, value]) => `${`${name}:`.padEnd(32)}${`${value}.`.padStart(16)}\n`).join('')
  return { code: 0, out: `Mach Virtual Memory Statistics: (page size of ${page} bytes)\n${text}` }
}

/** TCP listeners, of one port or of all: with `-F` field by field, with `-t` only pids; exits with 1 if none exist. */
function lsof({ roots }: View, words: readonly string[]): Answer {
  const port = Number(words.find((word) => word.startsWith('-iTCP:'))?.slice('-iTCP:'.length))
  const all = processesOf(roots)
  const found = listenersOf(all.map(({ pid }) => pid)).filter((one) => Number.isNaN(port) || one.port === port)
  // Of a file, `f` comes unasked.
  const asked = `f${words.find((word) => word.startsWith('-F'))?.slice(2) ?? ''}`
  const lines = words.includes('-t')
    ? found.map(({ pid }) => String(pid))
    : found.flatMap((one) => {
        const name = nameOf(all.find(({ pid }) => pid === one.pid))
        const at = one.address === '0.0.0.0' ? '*' : one.address
        const fields = [`p${one.pid}`, `c${name}`, 'f5', 'tIPv4', `d0x${one.port.toString(16)}`, `n${at}:${one.port}`]
        return fields.filter(([letter = '']) => asked.includes(letter))
      })
  return { code: lines.length === 0 ? 1 : 0, out: inLines(lines) }
}

function netstat({ roots }: View): Answer {
  const all = processesOf(roots)
  const head =
    'Active Internet connections (including servers)\nProto Recv-Q Send-Q  Local Address          Foreign Address        (state)      rxbytes      txbytes  rhiwat  shiwat             process:pid    state  options           gencnt    flags   flags1 usecnt rtncnt fltrs\n'
  const rows = listenersOf(all.map(({ pid }) => pid)).map(({ pid, address, port }) => {
    const at = `${address === '0.0.0.0' ? '*' : address}.${port}`
    const owner = `${nameOf(all.find((one) => one.pid === pid)).slice(0, 16)}:${pid}`
    return `tcp4       0      0  ${at.padEnd(22)} *.*                    LISTEN             0            0  131072  131072  ${owner.padStart(22)}    00180 00000006 0000000000000001 00000000 00000800      1      0 000001\n`
  })
  return { code: 0, out: `${head}${rows.join('')}` }
}

function nameOf(one: SeenProcess | undefined): string {
  return one?.words[0]?.split('/').at(-1) ?? '?'
}

/** What runs on every Mac; paths longer than the 16 letters that `comm` has elsewhere. */
const everywhere: readonly SeenProcess[] = [
  { pid: 1, ppid: 0, rssKib: 18_144, started: 'Sun Nov  1 08:00:00 2026', words: ['/sbin/launchd'] },
  {
    pid: 412,
    ppid: 1,
    rssKib: 61_200,
    started: 'Sun Nov  1 08:00:04 2026',
    words: ['/System/Library/CoreServices/loginwindow.app/Contents/MacOS/loginwindow', 'console'],
  },
]

/** One disk, on which everything is; with `-P` in the columns of POSIX, `-k` in kilobytes. */
function df({ machine }: View, words: readonly string[]): Answer {
  const unit = words.some((word) => /^-\w*k/.test(word)) ? 1024 : 512
  const [total = 0, used = 0] = [machine.diskBytes, machine.diskUsedBytes].map((bytes) => Math.floor(bytes / unit))
  const row = `/dev/disk3s5   ${total} ${used} ${total - used}    ${Math.ceil((used / total) * 100)}%    /System/Volumes/Data`
  return { code: 0, out: `Filesystem   ${unit}-blocks      Used Available Capacity  Mounted on\n${row}\n` }
}

/** The columns that `-o` names, in widths of their own, for one process (`-p`; 1 means that it is gone) or for all. */
function ps({ machine, roots, accountOf, runsHere }: View, words: readonly string[]): Answer {
  const all = processesOf(roots)
  const columns = words.includes('-o')
    ? (words[words.indexOf('-o') + 1] ?? '').split(',').map((name) => name.replace(/=$/, ''))
    : ['pid', 'command']
  const pid = Number(words[words.indexOf('-p') + 1])
  const ofShell = () => (runsHere(pid) ? processesOf([pid]) : [])
  const known = all.some((one) => one.pid === pid) ? all : ofShell()
  const asked = words.includes('-p') ? known.filter((one) => one.pid === pid) : [...everywhere, ...all]
  const rows = asked.map((one) => columns.map((name) => psColumn(name, one, { machine, roots, accountOf })).join(' '))
  return { code: words.includes('-p') && rows.length === 0 ? 1 : 0, out: inLines(rows) }
}

function psColumn(
  name: string,
  one: SeenProcess,
  { machine, roots, accountOf }: Pick<View, 'machine' | 'roots' | 'accountOf'>,
): string {
  const userOf = ({ pid, ppid }: SeenProcess) =>
    accountOf(pid) ?? accountOf(ppid) ?? (ppid < 2 && !roots.includes(pid) ? 'root' : machine.user)
  switch (name) {
    case 'pid':
      return String(one.pid).padStart(5)
    case 'ppid':
      return String(roots.includes(one.pid) ? 1 : one.ppid).padStart(5)
    case 'user':
      return userOf(one).padEnd(16)
    case 'rss':
      return String(one.rssKib).padStart(6)
    case 'etime':
      return ageOf(one).padStart(11)
    case 'lstart':
      return one.started.padEnd(28)
    case 'comm':
      return one.words[0] ?? ''
    default:
      return one.words.join(' ')
  }
}

/** `[[days-]hours:]minutes:seconds`, with two digits for each but the days. */
function ageOf({ started }: SeenProcess): string {
  const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(started)) / 1000))
  const [days, hours] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24]
  const parts = [...(seconds < 3600 ? [] : [hours]), Math.floor(seconds / 60) % 60, seconds % 60]
  return `${days === 0 ? '' : `${days}-`}${parts.map((part) => String(part).padStart(2, '0')).join(':')}`
}

/** `stat [-L] -f FORMAT FILE…`, with the letters converge asks for. */
function stat({ consoleUser, ownerOf }: View, words: readonly string[]): Answer {
  const at = words.indexOf('-f')
  const [format = '', ...files] = words.slice(at + 1)
  if (at < 0 || files.length === 0)
    return { code: 1, err: 'usage: stat [-FLnq] [-f format | -l | -r | -s | -x] [-t timefmt] [file ...]\n' }
  const lines: string[] = []
  const errors: string[] = []
  for (const file of files) {
    try {
      if (file === '/dev/console') lines.push(format.replace('%Su', consoleUser ?? 'root'))
      else lines.push(filled(format, file, { user: file === '/dev/console' ? '' : ownerOf(file), follows: words.includes('-L') }))
    } catch {
      errors.push(`stat: ${file}: stat: No such file or directory`)
    }
  }
  return { code: errors.length > 0 ? 1 : 0, out: inLines(lines), err: inLines(errors) }
}

function inLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}

function filled(format: string, file: string, { user, follows }: { readonly user: string; readonly follows: boolean }): string {
  const { size, mtimeMs, ctimeMs, birthtimeMs, dev, ino, mode } = follows ? statSync(file) : lstatSync(file)
  const letters: Readonly<Record<string, string>> = {
    '%z': String(size),
    '%d': String(dev),
    '%i': String(ino),
    '%m': String(Math.floor(mtimeMs / 1000)),
    '%c': String(Math.floor(ctimeMs / 1000)),
    '%B': String(Math.floor(birthtimeMs / 1000)),
    // The lower of three parts: what is set above the rights of others is in another.
    '%Lp': (mode & 0o777).toString(8),
    '%Su': user,
    '%N': file,
  }
  return format.replaceAll(/%(?:Lp|Su|[zdimcBN])/g, (letter) => letters[letter] ?? letter)
}

/** `-nrf FILE`: whether it can read the rules; nothing is turned over. */
function newsyslog(_view: View, words: readonly string[]): Answer {
  const [flags, file] = words
  if (flags !== '-nrf' || file === undefined) return { code: 64, err: 'newsyslog: not simulated\n' }
  const rules = readFileSync(file, 'utf8').split('\n')
  const rule = /^(?:$|#|\/\S+\s+(?:\w*:\w*\s+)?[0-7]{3,4}\s+\d+\s+(?:\d+|\*)\s+\S+(?:\s+[A-Za-z-]+)?$)/
  const malformed = rules.filter((line) => !rule.test(line))
  return { code: malformed.length === 0 ? 0 : 1, err: inLines(malformed.map((line) => `newsyslog: malformed line: ${line}`)) }
}
