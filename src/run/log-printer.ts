import type { Context } from '../context/context.ts'
import { defined } from '../lib/defined.ts'
import { maskKeys } from '../lib/mask-keys.ts'
import type { LogLine, LogLineDocument } from '../model/log-line.ts'
import { type LogTarget, logPrefixes } from '../report/log-prefix.ts'

export interface LogPrinter {
  /** Aborted by an interrupt, and when the reader of stdout has gone. */
  readonly signal: AbortSignal
  /** The reader of stdout has gone: `| head`. */
  isClosed(): boolean
  /** Settles when stdout takes more. */
  line(target: LogTarget, line: LogLine): Promise<void>
  /** On stderr, about a host or a service. */
  note(about: string, words: string): void
}

export interface LogStyle {
  readonly timestamps: boolean
  readonly json: boolean
}

/** Prints lines to stdout, and nothing else; keys of the inventory and what looks like one are masked. */
export function createLogPrinter(context: Context, targets: readonly LogTarget[], { json, timestamps }: LogStyle): LogPrinter {
  const { out, err, redactor, signal } = context
  const closed = new AbortController()
  for (const event of ['error', 'close'] as const) out.stream.once(event, () => closed.abort())
  const prefixOf = logPrefixes(targets, out.paint)
  // The whole key first: of one with a comma, the masks would leave a part that is not recognised.
  const safe = (text: string) => maskKeys(redactor.redact(text))
  return {
    signal: AbortSignal.any([signal, closed.signal]),
    isClosed: () => closed.signal.aborted,
    async line(target, { text, time }) {
      if (closed.signal.aborted) return
      const document: LogLineDocument = { schema: 'converge/log-line/v1', ...target, ...defined({ time }), text: safe(text) }
      if (json) out.writeJsonLine(document)
      else out.write(`${prefixOf(target)}${timestamps && time !== undefined ? `${time} ` : ''}${document.text}\n`)
      if (out.stream.writableNeedDrain) await drained(out.stream, closed.signal)
    },
    note: (about, words) => err.writeProse(`${err.paint(['bold'], about)}: ${safe(words)}\n`),
  }
}

function drained(stream: NodeJS.WriteStream, closed: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  stream.once('drain', resolve)
  closed.addEventListener('abort', () => resolve(), { once: true })
  return promise.finally(() => stream.off('drain', resolve))
}
