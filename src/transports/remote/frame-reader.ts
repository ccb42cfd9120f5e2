import { defined } from '../../lib/defined.ts'

/** What a stream holds between the marks that `supervise` prints around a script's output. */
export interface Frame {
  /** Before the begin mark: what start-up files printed, or why nothing was started. */
  readonly before: Buffer
  /** Between the marks; all that came where there was no end mark. */
  readonly output: Buffer
  /** The end mark: exit status, and why the script was ended if it was (`t`, `a` or empty). */
  readonly end?: FrameEnd
}

export interface FrameEnd {
  readonly exitCode: number
  readonly why: string
}

/** The longest end mark after the nonce and its `e`. */
export const longestEnd = '255t;'.length

/** What is only reserved is memory as well. */
const longestStep = 1024 * 1024

/** Reads one stream piece by piece; a mark may be cut anywhere. No byte is searched twice but those around a cut. */
export class FrameReader {
  readonly #begin: Buffer
  readonly #endStart: Buffer
  /** One buffer that grows: a host that sends byte by byte must not have us keep an object for each. */
  #room: Buffer = Buffer.alloc(0)
  #filled = 0
  #bytes = 0
  #before: Buffer | undefined
  #end: FrameEnd | undefined

  constructor(nonce: string) {
    this.#begin = Buffer.from(`${nonce}b;`)
    this.#endStart = Buffer.from(`${nonce}e`)
  }

  /** How much came. */
  get bytes(): number {
    return this.#bytes
  }

  get begun(): boolean {
    return this.#before !== undefined
  }

  get end(): FrameEnd | undefined {
    return this.#end
  }

  feed(chunk: Buffer): void {
    if (this.#end !== undefined) return
    const searched = this.#filled
    this.#append(chunk)
    if (this.begun) this.#lookForEnd(searched)
    else if (this.#findBegin(searched)) this.#lookForEnd(0)
  }

  frame(): Frame {
    const held = this.#held()
    if (this.#before === undefined) return { before: held, output: Buffer.alloc(0) }
    return { before: this.#before, output: held, ...defined({ end: this.#end }) }
  }

  /** Nobody will ask for it again. */
  forget(): void {
    this.#room = Buffer.alloc(0)
    this.#filled = 0
    this.#before = undefined
  }

  /** What is read is never written to again, so that parts of it may be given away. */
  #held(): Buffer {
    return this.#room.subarray(0, this.#filled)
  }

  #append(chunk: Buffer): void {
    const needed = this.#filled + chunk.length
    if (needed > this.#room.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#room.length + Math.min(this.#room.length, longestStep)))
      this.#held().copy(larger)
      this.#room = larger
    }
    chunk.copy(this.#room, this.#filled)
    this.#filled = needed
    this.#bytes += chunk.length
  }

  #findBegin(searched: number): boolean {
    const at = this.#held().indexOf(this.#begin, Math.max(0, searched - this.#begin.length))
    if (at < 0) return false
    const start = at + this.#begin.length
    this.#before = this.#room.subarray(0, at)
    this.#room = this.#room.subarray(start)
    this.#filled -= start
    return true
  }

  #lookForEnd(searched: number): void {
    const held = this.#held()
    const at = held.indexOf(this.#endStart, Math.max(0, searched - this.#endStart.length - longestEnd))
    if (at < 0) return
    const start = at + this.#endStart.length
    const end = readEnd(held, start)
    if (end === undefined) return
    this.#filled = at
    this.#end = end
  }
}

/** What follows the nonce and its `e`; undefined: it is not whole. */
export function readEnd(held: Buffer, start: number): FrameEnd | undefined {
  const match = /^(\d{1,3})([a-z]?);/.exec(held.toString('latin1', start, start + longestEnd))
  return match === null ? undefined : { exitCode: Number(match[1]), why: match[2] ?? '' }
}
