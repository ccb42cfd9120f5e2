import { defined } from '../lib/defined.ts'
import { known, mapObserved, type Observed, type Unknown, unknown } from '../model/observed.ts'
import { linesOf, strangeLine, strangeOrder } from './fact.ts'
import { heldFiles } from './held-files.ts'
import type { ProcessRecord, ProcessTable } from './process-record.ts'

/** Clock ticks per second in `/proc/PID/stat`: the kernel's USER_HZ, 100 on every Linux that runs a model. */
const ticksPerSecond = 100

const shape =
  /^(p \d+|[smgaekx] .*|l \/.*|f \d+ \/.*|n \d+ \d+ \d+ \/.*|[vh]|gone|\|.*|now [\d.]+( [\d.]+)?|first .*|user \d+ .*|end|)$/

/** Guards against records that are mixed with each other. */
const order = /^p (x \| |s (m )?(g )*(l )?(h )?(f )*(n )*(a )*(gone )?(v ([ek] )*)?)$/

/**
 * Reads the records that `processes-linux.ts` and `processes-macos.ts` print. One unreadable record leaves all of them unknown: it could be
 * any process.
 */
export function readProcesses(text: string): Observed<ProcessTable> {
  const lines = linesOf(withoutLastBreaks(text))
  if (lines.at(-1) !== 'end') return unknown('unreadable', 'the list of processes is incomplete')
  const strange = strangeLine(lines, shape)
  if (strange !== undefined) return strange
  const users = new Map(valuesOf(lines, 'user').map((value) => splitOnce(value)))
  const [now] = valuesOf(lines, 'now')
  const clock = clockOf(now)
  const seen = new Map<number, ProcessRecord>()
  for (const record of recordsOf(lines)) {
    if (strangeOrder(record, order) !== undefined) return unreadable(record)
    const process = record.some((line) => line.startsWith('|')) ? macosProcess(record, now) : linuxProcess(record, users, clock)
    if (process === 'ended') continue
    const other = process === undefined ? undefined : seen.get(process.pid)
    if (process === undefined || (other !== undefined && other.start !== process.start)) return unreadable(record)
    if (other === undefined) seen.set(process.pid, process)
  }
  return known({ processes: [...seen.values()], firstCgroup: valuesOf(lines, 'first') })
}

/** A pattern for them would be tried at each line break of the text. */
function withoutLastBreaks(text: string): string {
  let end = text.length
  while (text[end - 1] === '\n') end -= 1
  return text.slice(0, end)
}

function unreadable(record: readonly string[]): Unknown {
  return unknown('unreadable', `process ${record[0]?.slice('p '.length)} is unreadable`)
}

/** The processes without their cgroups. */
export function processesIn(text: string): Observed<readonly ProcessRecord[]> {
  return mapObserved(readProcesses(text), ({ processes }) => processes)
}

function recordsOf(lines: readonly string[]): readonly (readonly string[])[] {
  const records: string[][] = []
  for (const line of lines) {
    if (/^p \d+$/.test(line)) records.push([line])
    else if (/^([smgaekxlfn] |[vh]$|gone$|\|)/.test(line)) records.at(-1)?.push(line)
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

interface HostClock {
  /** Seconds since the epoch. */
  readonly now: number
  /** When its tick counter was zero. */
  readonly boot: number
}

/** From `EPOCH UPTIME`. */
function clockOf(line: string | undefined): HostClock | undefined {
  const [now, uptime] = (line ?? '').split(' ').map(Number)
  return now === undefined || uptime === undefined || Number.isNaN(now - uptime) ? undefined : { now, boot: now - uptime }
}

function linuxProcess(
  record: readonly string[],
  users: ReadonlyMap<string, string>,
  clock: HostClock | undefined,
): ProcessRecord | 'ended' | undefined {
  if (record.includes('gone')) return 'ended'
  const stat = statIn(record)
  if (stat === undefined) return undefined
  if (stat.state === 'Z' || stat.state === 'X') return 'ended'
  const argv = argumentsOf(valuesOf(record, 'a'))
  // A process that is exiting has lost its arguments.
  if (argv.length === 0) return isExiting(stat.flags) ? 'ended' : undefined
  const memory = memoryIn(record)
  if (memory === undefined) return undefined
  const { uid, rssBytes, anonBytes } = memory
  return {
    pid: stat.pid,
    ppid: stat.ppid,
    start: stat.start,
    ...(clock === undefined ? {} : timesOf(stat.start, clock)),
    user: users.get(uid) ?? uid,
    command: stat.command,
    argv,
    rssBytes,
    ...defined({ anonBytes }),
    cgroup: valuesOf(record, 'g'),
    ...heldFiles(record),
    ...defined({ env: environmentOf(record) }),
  }
}

/** The name is in parentheses and may itself contain blanks and parentheses; nothing after it does. */
const statLine = /^(\d+) \((.*)\) ([A-Za-z]) ((?:-?\d+ )*-?\d+)$/

/** From `/proc/PID/stat`; undefined: missing, or of another process. */
function statIn(record: readonly string[]) {
  const [line = '', ...more] = valuesOf(record, 's')
  const [, pid, command = '', state = '', rest = ''] = statLine.exec(line) ?? []
  const fields = rest.split(' ')
  const start = fields[18]
  if (more.length > 0 || pid !== record[0]?.slice('p '.length) || start === undefined) return undefined
  return { pid: Number(pid), command, state, ppid: Number(fields[0]), flags: Number(fields[5]), start }
}

/** `m UID RSS ANON`, in KiB; ANON may be missing. */
function memoryIn(record: readonly string[]) {
  const line = record.find((one) => one.startsWith('m ')) ?? ''
  const [, uid, rss, anon] = /^m (\d+) (\d+) (\d*)$/.exec(line) ?? []
  if (uid === undefined) return undefined
  return { uid, rssBytes: Number(rss) * 1024, anonBytes: anon ? Number(anon) * 1024 : undefined }
}

function timesOf(start: string, { boot, now }: HostClock): Pick<ProcessRecord, 'startedAt' | 'seenAt'> {
  return { startedAt: Math.round(boot + Number(start) / ticksPerSecond), seenAt: now }
}

/** The kernel's PF_EXITING among the process flags. */
function isExiting(flags: number): boolean {
  return (flags & 4) !== 0
}

/** Programs that rewrite their title leave empty arguments behind it. */
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

const macosRow = /^\|\s*(\d+)\s+(\S+)\s+(\d+)\s+(\S+)\s+(\w{3}\s+\w+\s+\w+\s+[\d:]{8}\s+\d{4})\s+(.*)$/

function macosProcess(record: readonly string[], now: string | undefined): ProcessRecord | 'ended' | undefined {
  const pid = Number(record[0]?.slice(2))
  const row = macosRow.exec(record.find((line) => line.startsWith('|')) ?? '')
  if (row === null) return undefined
  const [, ppid, user = '', rss, age = '', start = '', joined = ''] = row
  const program = valuesOf(record, 'x')[0] ?? ''
  const argv = splitArguments(joined, program)
  const [first] = argv
  if (joined.startsWith('(')) return 'ended'
  if (first === undefined) return undefined
  return {
    pid,
    ppid: Number(ppid),
    start: start.replace(/\s+/g, ' '),
    ...timesByAge(age, now),
    user,
    command: program === '' ? first : program,
    argv,
    rssBytes: Number(rss) * 1024,
    cgroup: [],
  }
}

/** From `[[days-]hours:]minutes:seconds`; any other format, as of a process younger than its own start, yields nothing. */
function timesByAge(age: string, now: string | undefined): Pick<ProcessRecord, 'startedAt' | 'seenAt'> {
  const match = /^(?:(?:(\d{1,5})-)?([01]\d|2[0-3]):)?([0-5]\d):([0-5]\d)$/.exec(age)
  if (match === null || now === undefined || !/^\d{1,11}$/.test(now)) return {}
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((part) => Number(part ?? 0))
  const [seenAt, ageS] = [Number(now), ((days * 24 + hours) * 60 + minutes) * 60 + seconds]
  return ageS > seenAt ? {} : { startedAt: seenAt - ageS, seenAt }
}

/** The path of the program may contain blanks; at the start of the joined arguments it is one word. The rest is split at blanks. */
function splitArguments(joined: string, program: string): readonly string[] {
  const leads = program !== '' && (joined === program || joined.startsWith(`${program} `))
  const rest = leads ? joined.slice(program.length) : joined
  const words = rest.split(' ').filter((word) => word !== '')
  return leads ? [program, ...words] : words
}
