import { Transform, type TransformCallback } from 'node:stream'

/** The bytes of one piece in transit; rejects more than requested. */
export class PieceStream extends Transform {
  readonly #bytes: number
  readonly #report: (came: number) => void
  #came = 0
  #isRight = false

  constructor(bytes: number, report: (came: number) => void) {
    super({ highWaterMark: 256 * 1024 })
    this.#bytes = bytes
    this.#report = report
  }

  /** Number of bytes received. */
  get came(): number {
    return this.#came
  }

  /** Resolves once everything written so far has passed; a slow reader delays it. */
  passed(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.write(Buffer.alloc(0), () => resolve())
    return promise
  }

  /** Ends it with one extra byte, which confirms that the piece matches the file. */
  confirm(): void {
    this.#isRight = true
    this.end()
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#came += chunk.length
    if (this.#came > this.#bytes) {
      this.destroy()
      return
    }
    this.#report(this.#came)
    done(null, chunk)
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#isRight ? '.' : undefined)
  }
}
