import { defined } from '../../lib/defined.ts'
import { type Frame, type FrameEnd, FrameReader, longestEnd, readEnd } from './frame-reader.ts'

/** Like `FrameReader`, but passes the output between the markers on as it arrives; holds back only what may be a marker. */
export class PassingReader {
  readonly #start: FrameReader
  readonly #endStart: Buffer
  readonly #pass: (bytes: Buffer) => void
  #held: Buffer = Buffer.alloc(0)
  #before: Buffer | undefined
  #end: FrameEnd | undefined

  /** @param pass receives the bytes in order, never an empty buffer */
  constructor(nonce: string, pass: (bytes: Buffer) => void) {
    this.#start = new FrameReader(nonce)
    this.#endStart = Buffer.from(`${nonce}e`)
    this.#pass = pass
  }

  /** Bytes received up to and including the start marker. */
  get bytes(): number {
    return this.#start.bytes
  }

  get begun(): boolean {
    return this.#before !== undefined
  }

  get end(): FrameEnd | undefined {
    return this.#end
  }

  feed(chunk: Buffer): void {
    if (this.#end !== undefined) return
    if (this.#before !== undefined) return this.#take(chunk)
    this.#start.feed(chunk)
    if (!this.#start.begun) return
    const { before, output, end } = this.#start.frame()
    this.#before = before
    this.#end = end
    if (end === undefined) this.#take(output)
    else this.#give(output)
  }

  frame(): Frame {
    if (this.#before === undefined) return this.#start.frame()
    return { before: this.#before, output: Buffer.alloc(0), ...defined({ end: this.#end }) }
  }

  forget(): void {
    this.#start.forget()
    this.#held = Buffer.alloc(0)
  }

  #take(chunk: Buffer): void {
    const held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    let at = held.indexOf(this.#endStart)
    while (at >= 0) {
      const start = at + this.#endStart.length
      const end = readEnd(held, start)
      if (end !== undefined) {
        this.#end = end
        this.#held = Buffer.alloc(0)
        return this.#give(held.subarray(0, at))
      }
      // It may be an incomplete marker.
      if (held.length - start < longestEnd) return this.#giveUpTo(held, at)
      at = held.indexOf(this.#endStart, at + 1)
    }
    this.#giveUpTo(held, held.length - this.#begunMarker(held))
  }

  /** How many of the last bytes may be the beginning of the end marker. Nothing else is held back: a person may be watching a log. */
  #begunMarker(held: Buffer): number {
    const longest = Math.min(held.length, this.#endStart.length - 1)
    for (let length = longest; length > 0; length--)
      if (held.subarray(held.length - length).equals(this.#endStart.subarray(0, length))) return length
    return 0
  }

  #giveUpTo(held: Buffer, at: number): void {
    this.#held = Buffer.from(held.subarray(at))
    this.#give(held.subarray(0, at))
  }

  #give(bytes: Buffer): void {
    if (bytes.length > 0) this.#pass(bytes)
  }
}
