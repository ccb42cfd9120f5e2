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
const longestEnd = '255t;'.length

/** Reads one stream piece by piece; a mark may be cut anywhere. No byte is searched twice but those around a cut. */
export class FrameReader {
  readonly #begin: Buffer
  readonly #endStart: Buffer
  #chunks: Buffer[] = []
  #bytes = 0
  #before: Buffer | undefined
  #end: FrameEnd | undefined

  constructor(nonce: string) {
    this.#begin = Buffer.from(`${nonce}b;`)
    this.#endStart = Buffer.from(`${nonce}e`)
  }

  /** How much is held. */
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
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    if (!this.begun) this.#lookForBegin()
    if (this.begun) this.#lookForEnd()
  }

  frame(): Frame {
    const held = Buffer.concat(this.#chunks)
    if (this.#before === undefined) return { before: held, output: Buffer.alloc(0) }
    return { before: this.#before, output: held, ...(this.#end === undefined ? {} : { end: this.#end }) }
  }

  #lookForBegin(): void {
    const tail = this.#tail(this.#begin.length)
    const at = tail.indexOf(this.#begin)
    if (at < 0) return
    const held = Buffer.concat(this.#chunks)
    const start = held.length - tail.length + at
    this.#before = held.subarray(0, start)
    this.#chunks = [held.subarray(start + this.#begin.length)]
  }

  #lookForEnd(): void {
    const tail = this.#tail(this.#endStart.length + longestEnd)
    const at = tail.indexOf(this.#endStart)
    if (at < 0) return
    const afterStart = tail.subarray(at + this.#endStart.length, at + this.#endStart.length + longestEnd)
    const match = /^(\d{1,3})([a-z]?);/.exec(afterStart.toString('latin1'))
    if (match === null) return
    const held = Buffer.concat(this.#chunks)
    this.#chunks = [held.subarray(0, held.length - tail.length + at)]
    this.#end = { exitCode: Number(match[1]), why: match[2] ?? '' }
  }

  /** The newest piece with some bytes from before it. */
  #tail(overlap: number): Buffer {
    const newest = this.#chunks.at(-1) ?? Buffer.alloc(0)
    const earlier: Buffer[] = []
    let missing = overlap
    for (let i = this.#chunks.length - 2; i >= 0 && missing > 0; i--) {
      const chunk = this.#chunks[i] ?? Buffer.alloc(0)
      earlier.unshift(chunk.subarray(Math.max(0, chunk.length - missing)))
      missing -= chunk.length
    }
    return earlier.length === 0 ? newest : Buffer.concat([...earlier, newest])
  }
}
