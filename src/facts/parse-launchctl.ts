import { linesOf } from './fact.ts'

/** One job as `launchctl print DOMAIN/LABEL` shows it. Null: not reported, which differs between versions. */
export interface LaunchdJob {
  readonly label: string | null
  /** `running`, `not running`, `spawn scheduled`, … */
  readonly state: string | null
  readonly jobState: string | null
  readonly pid: number | null
  /** How often it was started; while it runs, the last exit is that of the previous run. */
  readonly runs: number | null
  /** Null also if it never exited or a signal ended it. */
  readonly lastExit: number | null
  readonly neverExited: boolean
  readonly lastSignal: number | null
  /** Why the system killed it, instead of code and signal: `OS_REASON_JETSAM …`, `OS_REASON_CODESIGNING`. */
  readonly lastReason: string | null
  readonly path: string | null
  readonly program: string | null
  readonly arguments: readonly string[]
  /** Its own variables and those that launchd adds; null: not reported. */
  readonly environment: Readonly<Record<string, string>> | null
  readonly stdoutPath: string | null
  readonly exitTimeoutS: number | null
  readonly properties: readonly string[]
  /** `KeepAlive.SuccessfulExit`, which only shows as a semaphore. */
  readonly successfulExit: boolean | null
  /** Why its start is pending (`pended nondemand spawn`), possibly for ever. */
  readonly pended: string | null
}

/**
 * Only lines of the job itself count: nested blocks (endpoints, coalitions, triggers) repeat `state`, `active count` and others. The
 * indent distinguishes them, not the brackets: newer systems print raw bytes in one of the blocks.
 */
export function parseJob(text: string): LaunchdJob {
  const { label, fields, blocks } = outline(linesOf(text))
  const field = (name: string) => fields.get(name) ?? null
  const number = (name: string) => leadingNumber(field(name))
  const exit = field('last exit code')
  const semaphore = blocks.get('semaphores')?.find((line) => line.startsWith('successful exit => '))
  return {
    label,
    state: field('state'),
    jobState: field('job state'),
    pid: number('pid'),
    runs: number('runs'),
    lastExit: leadingNumber(exit),
    neverExited: exit === '(never exited)',
    lastSignal: signalNumber(field('last terminating signal')),
    lastReason: field('last exit reason'),
    path: field('path'),
    program: field('program'),
    arguments: blocks.get('arguments') ?? [],
    environment: variablesIn(blocks.get('environment')),
    stdoutPath: field('stdout path'),
    exitTimeoutS: number('exit timeout'),
    properties: (field('properties') ?? '').split('|').flatMap((word) => word.trim() || []),
    successfulExit: semaphore === undefined ? null : semaphore.endsWith('=> 1'),
    pended: field('pended nondemand spawn'),
  }
}

/** `NAME => value`, one per line, and `NAME =>` of an empty one; the redactor leaves `NAME =***` of a key, which shows that it is set. */
function variablesIn(lines: readonly string[] | undefined): Readonly<Record<string, string>> | null {
  if (lines === undefined) return null
  const pairs = lines.flatMap((line) => {
    const [, name, value, hidden] = /^(.*?) =(?:>(?: (.*))?|(\*\*\*))$/.exec(line) ?? []
    return name === undefined ? [] : [[name, value ?? hidden ?? ''] as const]
  })
  return Object.fromEntries(pairs)
}

interface Outline {
  readonly label: string | null
  readonly fields: ReadonlyMap<string, string>
  readonly blocks: ReadonlyMap<string, readonly string[]>
}

function outline(lines: readonly string[]): Outline {
  const filled = lines.filter((line) => line.trim() !== '')
  const header = /^(\S+) = \{$/.exec(filled[0] ?? '')?.[1]
  const body = header === undefined ? filled : filled.slice(1)
  const level =
    header === undefined ? Math.min(...body.filter((line) => line.trim() !== '}').map(indentOf)) : indentOf(body[0] ?? '')
  const fields = new Map<string, string>()
  const blocks = new Map<string, string[]>()
  let block: string[] | undefined
  for (const line of body) {
    if (indentOf(line) > level) block?.push(line.trim())
    else if (indentOf(line) === level) block = readTop(line.trim(), fields, blocks)
  }
  return { label: header === undefined ? null : header.replace(/^(?:gui|user|system|pid|login)\/(?:\d+\/)?/, ''), fields, blocks }
}

/** A field, or the start of a block. */
function readTop(line: string, fields: Map<string, string>, blocks: Map<string, string[]>): string[] | undefined {
  const match = /^(.+?) = ?(.*)$/.exec(line)
  if (match === null) return undefined
  const [, name = '', value = ''] = match
  if (value !== '{') {
    if (!fields.has(name)) fields.set(name, value)
    return undefined
  }
  const block: string[] = []
  if (!blocks.has(name)) blocks.set(name, block)
  return block
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

/** `0`, `78: EX_CONFIG`; null for `(never exited)`. */
function leadingNumber(text: string | null): number | null {
  const match = /^-?\d+/.exec(text ?? '')
  return match === null ? null : Number(match[0])
}

/** `Terminated: 15`. */
function signalNumber(text: string | null): number | null {
  const match = /: (\d+)$/.exec(text ?? '')
  return match === null ? null : Number(match[1])
}

/** Labels that `print-disabled` shows as disabled: `=> disabled`, before macOS 13 `=> true`. All others are enabled. */
export function parseDisabled(text: string): readonly string[] {
  const block = /disabled services = \{([^}]*)/.exec(text)?.[1] ?? ''
  return [...block.matchAll(/^\s*"([^"]+)" => (disabled|true)\s*$/gm)].map((match) => match[1] ?? '')
}

export interface ListedJob {
  readonly label: string
  readonly pid: number | null
  /** Exit code, or the negated number of a signal; null: not reported. While it runs, that of the previous run. */
  readonly status: number | null
}

/** The table of `launchctl list`: `PID<tab>Status<tab>Label`. */
export function parseList(text: string): readonly ListedJob[] {
  return linesOf(text).flatMap((line) => {
    const [pid = '', status = '', label] = line.split('\t')
    if (label === undefined || label === 'Label') return []
    return [{ label, pid: pid === '-' ? null : Number(pid), status: /^-?\d+$/.test(status) ? Number(status) : null }]
  })
}
