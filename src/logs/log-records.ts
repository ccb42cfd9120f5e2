/** What `logScript` says about one source. */
export interface LogRecord {
  /** Which of the sources, from 0. */
  readonly source: number
  /** `missing`: there is no log; `unreadable`: it cannot be read. Both with the reason as text. */
  readonly kind: 'line' | 'missing' | 'unreadable'
  readonly text: string
}

/** A record has 512 bytes; whatever is longer was not written by the script. */
const longestRecord = 1024
/** Somewhat more than a line that the script cut. */
const longestLine = 16 * 1024

/** At the end of a line that is not shown whole. */
const cutMark = '… (cut)'

/** Reads the output of `logScript`, which may be split anywhere, and which a host may forge: it holds a bounded number of bytes. */
export class LogRecords {
  readonly #sources: number
  readonly #begun = new Map<number, Buffer>()
  #rest: Buffer = Buffer.alloc(0)
  #isTooLong = false

  constructor(sources: number) {
    this.#sources = sources
  }

  feed(chunk: Buffer): readonly LogRecord[] {
    const records: LogRecord[] = []
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const piece = chunk.subarray(start, end)
      const record = this.#isTooLong
        ? undefined
        : this.#read(this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]))
      if (record !== undefined) records.push(record)
      this.#rest = Buffer.alloc(0)
      this.#isTooLong = false
      start = end + 1
    }
    this.#hold(chunk.subarray(start))
    return records
  }

  #hold(rest: Buffer): void {
    if (this.#rest.length + rest.length > longestRecord) this.#isTooLong = true
    this.#rest = this.#isTooLong ? Buffer.alloc(0) : Buffer.concat([this.#rest, rest])
  }

  #read(record: Buffer): LogRecord | undefined {
    const [head, number = '', sign = ''] = /^(\d{1,5})([-|>?!])/.exec(record.toString('latin1', 0, 8)) ?? []
    const source = Number(number)
    if (head === undefined || source >= this.#sources || record.length > longestRecord) return undefined
    const bytes = record.subarray(head.length)
    const kind = troubles[sign]
    if (kind !== undefined) return { source, kind, text: bytes.toString() }
    return this.#readLine(source, sign, bytes)
  }

  #readLine(source: number, sign: string, bytes: Buffer): LogRecord | undefined {
    const begun = this.#begun.get(source) ?? Buffer.alloc(0)
    const line = begun.length < longestLine ? Buffer.concat([begun, bytes]) : begun
    if (sign === '-') return void this.#begun.set(source, line)
    this.#begun.delete(source)
    return { source, kind: 'line', text: `${line.toString()}${sign === '>' ? cutMark : ''}` }
  }
}

const newline = 0x0a

const troubles: Readonly<Record<string, LogRecord['kind']>> = { '?': 'missing', '!': 'unreadable' }
