import { type AskedLog, type LogRequest, type LogTrouble, readLogs } from '../../src/logs/read-logs.ts'
import type { LogSource } from '../../src/managers/supervisor.ts'
import type { LogLine } from '../../src/model/log-line.ts'
import type { HostView } from '../../src/transports/transport.ts'

/** What a reader of logs has got so far. */
export interface Reading {
  readonly lines: LogLine[]
  readonly troubles: LogTrouble[]
  readonly texts: () => readonly string[]
  readonly over: Promise<void>
  /** Interrupts it. */
  stop(): Promise<void>
}

export function readFrom(
  place: HostView,
  sources: readonly LogSource[],
  { count = 100, ...rest }: Partial<LogRequest> & { readonly count?: AskedLog['lines'] } = {},
): Reading {
  const [lines, troubles]: [LogLine[], LogTrouble[]] = [[], []]
  const stopping = new AbortController()
  const to = {
    line: async (_: number, line: LogLine) => void lines.push(line),
    trouble: (_: number, trouble: LogTrouble) => void troubles.push(trouble),
  }
  const logs = sources.map((source) => ({ source, lines: count }))
  const over = readLogs(place, { logs, follow: false, keyFiles: [], ...rest }, to, stopping.signal)
  over.catch(() => undefined)
  return {
    lines,
    troubles,
    texts: () => lines.map(({ text }) => text),
    over,
    stop: async () => {
      stopping.abort(new Error('enough'))
      await over.catch(() => undefined)
    },
  }
}
