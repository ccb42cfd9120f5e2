import { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { callbackify } from 'node:util'
import { defined } from '../lib/defined.ts'
import type { LogSource } from '../managers/supervisor.ts'
import type { LogLine } from '../model/log-line.ts'
import { ReadOnlyScript } from '../transports/read-only-script.ts'
import type { HostView } from '../transports/transport.ts'
import { lineReader } from './line-reader.ts'
import { type LogRecord, LogRecords } from './log-records.ts'
import { logScript } from './log-script.ts'

/** What is read of one source. */
export interface AskedLog {
  readonly source: LogSource
  /** From its end. */
  readonly lines: number | 'all'
}

export interface LogRequest {
  readonly logs: readonly AskedLog[]
  /** Go on with what is written from now on, until the signal is aborted or the connection ends. */
  readonly follow: boolean
  /** As `logScript` reads it. Absent: no limit. */
  readonly since?: string
  /** Files on the host with keys that its logs may have. */
  readonly keyFiles: readonly string[]
  /** Absent: as long as it takes. */
  readonly timeoutMs?: number
}

/** Why a log is not shown, or not whole. */
export interface LogTrouble {
  /** `missing`: there is none, perhaps not yet. */
  readonly kind: 'missing' | 'unreadable'
  readonly why: string
}

export interface LogReceiver {
  /** A promise, which never rejects: the host is not read further until it settles. */
  line(log: number, line: LogLine): Promise<void> | undefined
  trouble(log: number, trouble: LogTrouble): void
}

/** Reading what is there takes as long as the reader wants; following, as long as a timer may run. */
const longestMs = 24 * 24 * 3600_000

/** A client of a container engine may say something else for each line. */
const mostTroubles = 5

/**
 * Reads several logs of one host over one session, with backpressure, in memory that does not grow with them. The host masks the keys in its key
 * files, and what looks like one; the keys of the inventory are left to the caller.
 *
 * @throws ConvergeError `CONNECT.*`, and the signal's reason
 */
export async function readLogs(view: HostView, request: LogRequest, to: LogReceiver, signal?: AbortSignal): Promise<void> {
  const { logs, follow, since = '', keyFiles, timeoutMs = longestMs } = request
  const script = {
    label: 'read logs',
    text: [logScript],
    args: [follow ? 'follow' : '', since, keyFiles.join('\n'), ...logs.flatMap(wordsOf)],
    elevate: true,
    timeoutMs,
  }
  const output = receiving(logs, to, signal)
  try {
    const { exitCode, timedOut } = await view.look(ReadOnlyScript.vouchedFor(script), defined({ output, signal }))
    output.end()
    await finished(output)
    if (exitCode !== 0 && !timedOut) for (const log of logs.keys()) to.trouble(log, ended)
  } finally {
    output.destroy()
  }
}

const ended: LogTrouble = { kind: 'unreadable', why: 'the host ended the command that reads it' }

function wordsOf({ source, lines }: AskedLog): readonly string[] {
  const words = source.in === 'container' ? [source.docker, source.name] : [source.in === 'file' ? source.path : source.unit, '-']
  return [source.in, String(lines), ...words]
}

function receiving(logs: readonly AskedLog[], to: LogReceiver, signal?: AbortSignal): Writable {
  const records = new LogRecords(logs.length)
  const readers = logs.map(({ source }) => lineReader(source))
  const troubles = logs.map(() => new Set<string>())
  const receive = ({ source, kind, text }: LogRecord): Promise<void> | undefined => {
    const line = kind === 'line' ? readers[source]?.(text) : text
    if (typeof line === 'object') return to.line(source, line)
    const known = troubles[source]
    if (line === undefined || known === undefined || known.has(line) || known.size >= mostTroubles) return undefined
    known.add(line)
    to.trouble(source, { kind: kind === 'missing' ? 'missing' : 'unreadable', why: line })
    return undefined
  }
  const take = callbackify(async (chunk: Buffer): Promise<void> => {
    for (const record of records.feed(chunk)) if (signal?.aborted !== true) await receive(record)
  })
  return new Writable({ write: (chunk: Buffer, _, done) => take(chunk, done) })
}
