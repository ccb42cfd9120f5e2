import { linesOf } from './fact.ts'
import type { ProcessRecord, ProcessTable } from './process-record.ts'

/** Clock ticks per second in `/proc/PID/stat`: the kernel's USER_HZ, 100 on every Linux that runs a model. */
const ticksPerSecond = 100

/** Reads the records that `processes-linux.ts` and `processes-macos.ts` print. */
export function readProcesses(text: string): ProcessTable {
  const lines = linesOf(text)
  const users = new Map(valuesOf(lines, 'user').map((value) => splitOnce(value)))
  const clock = bootTime(valuesOf(lines, 'now')[0])
  const seen = new Set<number>()
  const processes = recordsOf(lines).flatMap((record) => {
    const process = record.some((line) => line.startsWith('|')) ? macosProcess(record) : linuxProcess(record, users, clock)
    if (process === undefined || seen.has(process.pid)) return []
    seen.add(process.pid)
    return [process]
  })
  return { processes, firstCgroup: valuesOf(lines, 'first') }
}

function recordsOf(lines: readonly string[]): readonly (readonly string[])[] {
  const records: string[][] = []
  for (const line of lines) {
    if (/^p \d+$/.test(line)) records.push([line])
    else if (/^([smgavekx] |v$|\|)/.test(line)) records.at(-1)?.push(line)
  }
  return records
}

function valuesOf(lines: readonly string[], tag: string): readonly string[] {
  return lines.filter((line) => line.startsWith(`${tag} `)).map((line) => line.slice(tag.length + 1))
}

function splitOnce(text: string): [string, string] {
  const at = text.indexOf(' ')
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

/** From `EPOCH UPTIME`: when the host's tick counter was zero. */
function bootTime(now: string | undefined): number | undefined {
  const [epoch, uptime] = (now ?? '').split(' ').map(Number)
  return epoch === undefined || uptime === undefined || Number.isNaN(epoch - uptime) ? undefined : epoch - uptime
}

function linuxProcess(
  record: readonly string[],
  users: ReadonlyMap<string, string>,
  boot: number | undefined,
): ProcessRecord | undefined {
  const stat = valuesOf(record, 's')[0] ?? ''
  // The name stands in parentheses and may hold blanks and parentheses itself; nothing after it does.
  const open = stat.indexOf('(')
  const close = stat.lastIndexOf(')')
  const fields = stat.slice(close + 2).split(' ')
  const [state = 'Z', ppid] = fields
  const start = fields[19]
  const argv = argumentsOf(valuesOf(record, 'a'))
  if (open < 0 || close < open || start === undefined || state === 'Z' || state === 'X' || argv.length === 0) return undefined
  const [uid = '', rss, anon = ''] = (valuesOf(record, 'm')[0] ?? '').split(' ')
  const env = environmentOf(record)
  return {
    pid: Number(stat.slice(0, open).trim()),
    ppid: Number(ppid),
    start,
    ...(boot === undefined ? {} : { startedAt: Math.round(boot + Number(start) / ticksPerSecond) }),
    user: users.get(uid) ?? uid,
    command: stat.slice(open + 1, close),
    argv,
    rssBytes: Number(rss ?? 0) * 1024,
    ...(anon === '' ? {} : { anonBytes: Number(anon) * 1024 }),
    cgroup: valuesOf(record, 'g'),
    ...(env === undefined ? {} : { env }),
  }
}

/** Programs that rewrite their own title leave empty arguments behind it. */
function argumentsOf(lines: readonly string[]): readonly string[] {
  const argv = lines.map((line) => line.replaceAll('\u0001', '\n'))
  while (argv.at(-1) === '') argv.pop()
  return argv
}

function environmentOf(record: readonly string[]): Readonly<Record<string, string>> | undefined {
  if (!record.includes('v')) return undefined
  const plain = valuesOf(record, 'e').map((pair): [string, string] => {
    const at = pair.indexOf('=')
    return [pair.slice(0, at), pair.slice(at + 1).replaceAll('\u0001', '\n')]
  })
  const digests = valuesOf(record, 'k').flatMap((line): [string, string][] => {
    const [name, words] = splitOnce(line)
    const digest = /[0-9a-f]{64}/.exec(words)?.[0]
    return digest === undefined ? [] : [[name, digest]]
  })
  return Object.fromEntries([...plain, ...digests])
}

const macosRow = /^\|\s*(\d+)\s+(\S+)\s+(\d+)\s+(\w{3}\s+\w+\s+\w+\s+[\d:]{8}\s+\d{4})\s+(.*)$/

function macosProcess(record: readonly string[]): ProcessRecord | undefined {
  const pid = Number(record[0]?.slice(2))
  const row = macosRow.exec(record.find((line) => line.startsWith('|')) ?? '')
  if (row === null) return undefined
  const [, ppid, user = '', rss, start = '', joined = ''] = row
  const program = valuesOf(record, 'x')[0] ?? ''
  const argv = splitArguments(joined, program)
  if (argv.length === 0 || joined.startsWith('(')) return undefined
  const command = program === '' ? (argv[0] ?? '') : program
  return {
    pid,
    ppid: Number(ppid),
    start: start.replace(/\s+/g, ' '),
    user,
    command,
    argv,
    rssBytes: Number(rss) * 1024,
    cgroup: [],
  }
}

/** The path of the program may hold blanks; where it leads the joined arguments it is one word. The rest is split at blanks. */
function splitArguments(joined: string, program: string): readonly string[] {
  const leads = program !== '' && (joined === program || joined.startsWith(`${program} `))
  const rest = leads ? joined.slice(program.length) : joined
  const words = rest.split(' ').filter((word) => word !== '')
  return leads ? [program, ...words] : words
}
