import { defined } from '../../lib/defined.ts'

/** The parts of a stream around the markers that `supervise` prints around a script's output. */
export interface Frame {
  /** Before the start marker: output of start-up files, or why nothing started. */
  readonly before: Buffer
  /** Between the markers; without an end marker, everything after the first. */
  readonly output: Buffer
  /** The end marker: exit status, and why the script was ended, if it was (`t`, `a` or empty). */
  readonly end?: FrameEnd
}

export interface FrameEnd {
  readonly exitCode: number
  readonly why: string
}

/** The longest end marker after the nonce and its `e`. */
export const longestEnd = '255t;'.length

/** Limits how much memory is reserved in advance. */
const longestStep = 1024 * 1024

/** Reads one stream in chunks, which may split a marker anywhere. Searches no byte twice except around a split. */
export class FrameReader {
  readonly #begin: Buffer
  readonly #endStart: Buffer
  /** One growing buffer: a host that sends single bytes must not cost an object for each. */
  #room: Buffer = Buffer.alloc(0)
  #filled = 0
  #bytes = 0
  #before: Buffer | undefined
  #end: FrameEnd | undefined

  constructor(nonce: string) {
    this.#begin = Buffer.from(`${nonce}b;`)
    this.#endStart = Buffer.from(`${nonce}e`)
  }

  /** Number of bytes received. */
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

  /** Frees the memory: the frame is no longer needed. */
  forget(): void {
    this.#room = Buffer.alloc(0)
    this.#filled = 0
    this.#before = undefined
  }

  /** Bytes that were returned are never overwritten, so views of them stay valid. */
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

/** What follows the nonce and its `e`; undefined: incomplete. */
export function readEnd(held: Buffer, start: number): FrameEnd | undefined {
  const match = /^(\d{1,3})([a-z]?);/.exec(held.toString('latin1', start, start + longestEnd))
  return match === null ? undefined : { exitCode: Number(match[1]), why: match[2] ?? '' }
}
